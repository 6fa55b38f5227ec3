// SPDX-License-Identifier: BSD-3-Clause
// Cuts the cores of a node into slots within its caches, NUMA domains and packages.
#include <algorithm>
#include <map>
#include <string>

#include "mapping/slots.hpp"
#include "plait/error.hpp"

namespace plait::mapping {
namespace {

/// Groups of each allowed core, numbered from 0 on each level.
std::vector<Slot> groups_of_cores(const machine::Topology& node) {
  int last_level = 0;
  for (const machine::Cache& cache : node.caches) last_level = std::max(last_level, cache.level);
  std::vector<int> cache_of(node.cores.size(), -1);
  for (std::size_t i = 0; i < node.caches.size(); ++i) {
    if (node.caches[i].level != last_level) continue;
    for (const int core : node.caches[i].cores) {
      cache_of[static_cast<std::size_t>(core)] = static_cast<int>(i);
    }
  }
  std::array<std::map<int, int>, kLevels> numbers;
  std::vector<Slot> result;
  for (const int id : node.allowed_cores()) {
    const machine::Core& core = node.cores[static_cast<std::size_t>(id)];
    const int cache = cache_of[static_cast<std::size_t>(id)];
    // A core outside all caches of the last level shares none.
    const Slot keys{0, core.package, core.numa, cache >= 0 ? cache : -1 - id, id};
    Slot slot{};
    for (std::size_t level = 0; level < kLevels; ++level) {
      const int next = static_cast<int>(numbers[level].size());
      slot[level] = numbers[level].try_emplace(keys[level], next).first->second;
    }
    result.push_back(slot);
  }
  std::stable_sort(result.begin(), result.end());
  return result;
}

/// Appends the slots of cores [begin, end), which share their groups down to `level`.
void cut(const std::vector<Slot>& cores, std::size_t begin, std::size_t end, std::size_t level,
         std::size_t size, std::vector<Slot>& slots) {
  const std::size_t before = slots.size();
  if (level + 1 < kLevels) {
    for (std::size_t first = begin; first < end;) {
      std::size_t last = first;
      while (last < end && cores[last][level + 1] == cores[first][level + 1]) ++last;
      cut(cores, first, last, level + 1, size, slots);
      first = last;
    }
  }
  if (slots.size() > before) return;  // cores left over in the groups inside stay idle
  for (; begin + size <= end; begin += size) slots.push_back(cores[begin]);
}

}  // namespace

std::vector<Slot> slots_of_node(const machine::Topology& node, int cores, const Slot& first) {
  if (cores < 1) {
    throw Error("slots of " + std::to_string(cores) + " cores", "a process needs at least one core",
                "give 1 or more");
  }
  const std::vector<Slot> of_cores = groups_of_cores(node);
  std::vector<Slot> slots;
  cut(of_cores, 0, of_cores.size(), 0, static_cast<std::size_t>(cores), slots);
  for (Slot& slot : slots) {
    for (std::size_t level = 0; level < kLevels; ++level) slot[level] += first[level];
  }
  return slots;
}

}  // namespace plait::mapping
