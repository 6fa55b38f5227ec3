// SPDX-License-Identifier: BSD-3-Clause
// From nodes of processes to slots, moving as few processes as the nodes allow.
#include <algorithm>
#include <tuple>

#include "map/search/problem.hpp"

namespace plait::map {
namespace {

/// Renames nodes of equal capacity so that many processes stay on theirs, largest overlaps first.
void keep_near(const Problem& problem, std::vector<int>& node_of) {
  const std::vector<int> before = problem.nodes_of(problem.now);
  std::vector<std::pair<int, int>> moves;  // from the partition's node to the present one
  moves.reserve(node_of.size());
  for (std::size_t p = 0; p < node_of.size(); ++p) moves.emplace_back(node_of[p], before[p]);
  std::sort(moves.begin(), moves.end());
  std::vector<std::tuple<int, int, int>> overlaps;  // minus the number, part, node
  for (std::size_t i = 0; i < moves.size();) {
    std::size_t j = i;
    while (j < moves.size() && moves[j] == moves[i]) ++j;
    overlaps.emplace_back(static_cast<int>(i) - static_cast<int>(j), moves[i].first,
                          moves[i].second);
    i = j;
  }
  std::sort(overlaps.begin(), overlaps.end());

  const auto nodes = static_cast<std::size_t>(problem.nodes());
  std::vector<int> name(nodes, -1);
  std::vector<char> taken(nodes, 0);
  const auto capacity = [&](std::size_t node) { return problem.capacity[node]; };
  const auto match = [&](std::size_t part, std::size_t node) {
    if (name[part] >= 0 || taken[node] != 0 || capacity(part) != capacity(node)) return;
    name[part] = static_cast<int>(node);
    taken[node] = 1;
  };
  for (const auto& [number, part, node] : overlaps) {
    match(static_cast<std::size_t>(part), static_cast<std::size_t>(node));
  }
  for (std::size_t node = 0; node < nodes; ++node) match(node, node);
  std::vector<std::pair<int, std::size_t>> free;  // nodes not yet taken, by capacity
  for (std::size_t node = 0; node < nodes; ++node) {
    if (taken[node] == 0) free.emplace_back(capacity(node), node);
  }
  std::sort(free.begin(), free.end());
  for (std::size_t part = 0; part < nodes; ++part) {
    if (name[part] >= 0) continue;
    const auto own =
        std::lower_bound(free.begin(), free.end(), std::pair<int, std::size_t>{capacity(part), 0});
    name[part] = static_cast<int>(own->second);
    free.erase(own);
  }
  for (int& node : node_of) node = name[static_cast<std::size_t>(node)];
}

}  // namespace

std::vector<int> slots_for(const Problem& problem, std::vector<int> node_of) {
  keep_near(problem, node_of);
  const std::vector<int> before = problem.nodes_of(problem.now);
  std::vector<int> slot_of(node_of.size(), -1);
  std::vector<char> taken(problem.node_of_slot.size(), 0);
  for (std::size_t p = 0; p < node_of.size(); ++p) {
    if (before[p] != node_of[p]) continue;
    slot_of[p] = problem.now[p];
    taken[static_cast<std::size_t>(slot_of[p])] = 1;
  }
  std::vector<std::size_t> next(problem.slots.size(), 0);
  for (std::size_t p = 0; p < node_of.size(); ++p) {
    if (slot_of[p] >= 0) continue;
    const auto node = static_cast<std::size_t>(node_of[p]);
    while (taken[static_cast<std::size_t>(problem.slots[node][next[node]])] != 0) ++next[node];
    slot_of[p] = problem.slots[node][next[node]++];
  }
  return slot_of;
}

}  // namespace plait::map
