// SPDX-License-Identifier: BSD-3-Clause
// Counts the threads that can run at once by a maximum bipartite matching.
#include "placement/threads_at_once.hpp"

#include <map>

namespace plait::placement {
namespace {

/// Maximum matching of threads to slots by augmenting paths (Kuhn 1955; Berge 1957).
class Matching {
public:
  Matching(const std::vector<std::vector<int>>& slots_of_thread, int slots)
      : slots_of_thread_(slots_of_thread), owner_(static_cast<std::size_t>(slots), -1) {}

  int size() {
    int matched = 0;
    for (int thread = 0; thread < static_cast<int>(slots_of_thread_.size()); ++thread) {
      visited_.assign(owner_.size(), false);
      if (place(thread)) ++matched;
    }
    return matched;
  }

private:
  bool place(int thread) {
    for (const int slot : slots_of_thread_[static_cast<std::size_t>(thread)]) {
      const auto s = static_cast<std::size_t>(slot);
      if (visited_[s]) continue;
      visited_[s] = true;
      if (owner_[s] < 0 || place(owner_[s])) {
        owner_[s] = thread;
        return true;
      }
    }
    return false;
  }

  const std::vector<std::vector<int>>& slots_of_thread_;
  std::vector<int> owner_;
  std::vector<bool> visited_;
};

}  // namespace

int threads_at_once(const machine::Topology& topology, const std::vector<machine::CpuSet>& masks,
                    bool whole_cores) {
  std::map<int, int> slot_numbers;  // of a core id or hardware thread
  std::vector<std::vector<int>> slots_of_thread;
  for (const machine::CpuSet& mask : masks) {
    std::vector<int> slots;
    for (const int pu : mask.indices()) {
      const int core = topology.core_of_pu(pu);
      // A hardware thread that the topology does not know counts as a separate core.
      const int key = whole_cores && core >= 0 ? -1 - core : pu;
      slots.push_back(slot_numbers.try_emplace(key, slot_numbers.size()).first->second);
    }
    slots_of_thread.push_back(std::move(slots));
  }
  return Matching(slots_of_thread, static_cast<int>(slot_numbers.size())).size();
}

}  // namespace plait::placement
