// SPDX-License-Identifier: BSD-3-Clause
// Chooses the pairs of cores to measure for each kind of path.
#include "measure/path_jobs.hpp"

#include <algorithm>
#include <set>

namespace plait::measure {
namespace {

std::vector<machine::CorePair> without_common_core(const std::vector<machine::CorePair>& pairs,
                                                   int most) {
  std::set<int> used;
  std::vector<machine::CorePair> chosen;
  for (const machine::CorePair& pair : pairs) {
    if (static_cast<int>(chosen.size()) == most) break;
    if (used.count(pair[0]) + used.count(pair[1]) > 0) continue;
    used.insert(pair.begin(), pair.end());
    chosen.push_back(pair);
  }
  return chosen;
}

}  // namespace

std::vector<PathJob> plan_paths(const machine::Topology& topology, int per_kind,
                                int most_together) {
  std::vector<PathJob> jobs;
  const std::vector<machine::PathClass> classes = machine::path_classes(topology);
  const std::vector<machine::PathClass> sample = machine::sample_pairs(classes, per_kind);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    jobs.push_back({classes[i].kind, static_cast<int>(classes[i].pairs.size()), sample[i].pairs,
                    without_common_core(classes[i].pairs, most_together)});
  }
  return jobs;
}

std::vector<int> pair_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  if (most > 0) counts.push_back(most);
  return counts;
}

std::array<int, 2> pus_of_pair(const machine::Topology& topology, const machine::CorePair& pair) {
  const std::vector<int> first = topology.allowed_pus_of(pair[0]);
  if (pair[0] == pair[1]) return {first.at(0), first.at(1)};
  return {first.at(0), topology.allowed_pus_of(pair[1]).at(0)};
}

machine::Topology restricted(machine::Topology topology, const std::vector<int>& cores) {
  topology.allowed_pus &= topology.pus_of(cores);
  return topology;
}

}  // namespace plait::measure
