// SPDX-License-Identifier: BSD-3-Clause
// Checks if every thread of the ranks of a node has its own core, so that a waiting one may spin.
#include "solve/schedules/core_ownership.hpp"

#include <omp.h>

#include <algorithm>

#include "machine/cgroup.hpp"

namespace plait::solve {
namespace {

using machine::CpuSet;

/// The masks of the ranks, and for each the union with all masks that overlap it.
std::vector<CpuSet> groups_of(std::span<const RankCores> ranks) {
  std::vector<CpuSet> groups;
  for (const RankCores& rank : ranks) {
    CpuSet group = rank.cpus;
    groups.push_back(group);
    for (bool grew = true; grew;) {
      grew = false;
      for (const RankCores& other : ranks) {
        if (other.cpus.intersects(group) && !other.cpus.subset_of(group)) {
          group |= other.cpus;
          grew = true;
        }
      }
    }
    if (group != groups.back()) groups.push_back(group);
  }
  // Ranks often share one mask or have one each: check each group once.
  std::ranges::sort(groups, {}, &CpuSet::format);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

}  // namespace

RankCores cores_of_process(int threads) {
  RankCores result{CpuSet::affinity_of(0), threads, machine::cgroup_quota_cores().value_or(0)};
  if (threads > 1) {
    std::vector<CpuSet> masks(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
    masks[static_cast<std::size_t>(omp_get_thread_num())] = CpuSet::affinity_of(0);
    for (const CpuSet& mask : masks) result.cpus |= mask;
  }
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    result.cpus |= CpuSet::of(ids);
  }
  return result;
}

bool fits(std::span<const RankCores> ranks, int extra) {
  int all = 0;
  for (const RankCores& rank : ranks) all += rank.threads + extra;
  for (const RankCores& rank : ranks) {
    if (rank.quota_cores > 0 && all > rank.quota_cores) return false;
  }
  const std::vector<CpuSet> groups = groups_of(ranks);
  return std::ranges::all_of(groups, [&](const CpuSet& group) {
    int confined = 0;
    for (const RankCores& rank : ranks) {
      if (rank.cpus.subset_of(group)) confined += rank.threads + extra;
    }
    return confined <= group.count();
  });
}

NodeCores node_cores(std::span<const RankCores> ranks, std::span<const int> node_of_rank) {
  NodeCores result{0, 0, 0, 0, true, true};
  const int nodes = *std::ranges::max_element(node_of_rank) + 1;
  for (int node = 0; node < nodes; ++node) {
    std::vector<RankCores> here;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      if (node_of_rank[rank] == node) here.push_back(ranks[rank]);
    }
    result.team_fits = result.team_fits && fits(here, 0);
    result.team_and_one_fit = result.team_and_one_fit && fits(here, 1);
    if (node > 0) continue;
    CpuSet cpus;
    result.ranks = static_cast<int>(here.size());
    for (const RankCores& rank : here) {
      result.threads += rank.threads;
      cpus |= rank.cpus;
      if (rank.quota_cores > 0 &&
          (result.quota_cores <= 0 || rank.quota_cores < result.quota_cores)) {
        result.quota_cores = rank.quota_cores;
      }
    }
    result.cores = cpus.count();
  }
  return result;
}

}  // namespace plait::solve
