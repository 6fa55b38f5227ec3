// SPDX-License-Identifier: BSD-3-Clause
// Finds the level where two slots meet, and makes slots from the nodes of ranks alone.
#include "mapping/slots.hpp"

namespace plait::mapping {

std::size_t meeting_level(const Slot& a, const Slot& b) {
  if (a[0] != b[0]) return kLevels;
  std::size_t level = 0;
  while (level + 1 < kLevels && a[level + 1] == b[level + 1]) ++level;
  return level;
}

Slots slots_on_nodes(const std::vector<int>& node_of_rank) {
  Slots slots;
  slots.of.reserve(node_of_rank.size());
  // What two ranks of a node share inside it is unknown: assume nothing.
  int own = 0;
  for (const int node : node_of_rank) {
    slots.of.push_back({node, own, own, own, own});
    ++own;
  }
  return slots;
}

}  // namespace plait::mapping
