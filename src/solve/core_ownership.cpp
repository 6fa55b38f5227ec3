// SPDX-License-Identifier: BSD-3-Clause
// Whether the threads of all ranks of a node have a core each, so that a waiting one may spin.
#include "solve/core_ownership.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "machine/cgroup.hpp"

namespace plait::solve {
namespace {

using machine::CpuSet;

/// Where the threads of this process may run: their masks now, and OpenMP's places.
CpuSet cpus_of_process(int threads) {
  CpuSet cpus = CpuSet::affinity_of(0);
  if (threads > 1) {
    std::vector<CpuSet> masks(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
    masks[static_cast<std::size_t>(omp_get_thread_num())] = CpuSet::affinity_of(0);
    for (const CpuSet& mask : masks) cpus |= mask;
  }
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    cpus |= CpuSet::of(ids);
  }
  return cpus;
}

/// The text of every rank of `comm`.
std::vector<std::string> gather_texts(MPI_Comm comm, const std::string& own) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  std::vector<int> lengths(static_cast<std::size_t>(size));
  const int length = static_cast<int>(own.size());
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  std::vector<int> begins(lengths.size(), 0);
  std::partial_sum(lengths.begin(), lengths.end() - 1, begins.begin() + 1);
  std::string all(static_cast<std::size_t>(begins.back() + lengths.back()), '\0');
  MPI_Allgatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR,
                 comm);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
    texts.push_back(all.substr(static_cast<std::size_t>(begins[rank]),
                               static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

/// The masks, and what overlapping ones are together.
std::vector<CpuSet> groups_of(std::span<const CpuSet> masks) {
  std::vector<CpuSet> groups(masks.begin(), masks.end());
  for (CpuSet group : masks) {
    for (bool grew = true; grew;) {
      grew = false;
      for (const CpuSet& mask : masks) {
        if (mask.intersects(group) && !mask.subset_of(group)) {
          group |= mask;
          grew = true;
        }
      }
    }
    groups.push_back(group);
  }
  return groups;
}

}  // namespace

bool fits(std::span<const CpuSet> masks, std::span<const int> threads_a_rank, int extra,
          double quota_cores) {
  int all = 0;
  for (const int threads : threads_a_rank) all += threads + extra;
  if (quota_cores > 0 && all > quota_cores) return false;
  for (const CpuSet& group : groups_of(masks)) {
    int confined = 0;
    for (std::size_t rank = 0; rank < masks.size(); ++rank) {
      if (masks[rank].subset_of(group)) confined += threads_a_rank[rank] + extra;
    }
    if (confined > group.count()) return false;
  }
  return true;
}

NodeCores node_cores(MPI_Comm comm, int threads) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  NodeCores result;
  result.cpus = cpus_of_process(threads);
  MPI_Comm_size(node, &result.ranks);

  std::vector<int> threads_a_rank(static_cast<std::size_t>(result.ranks));
  MPI_Allgather(&threads, 1, MPI_INT, threads_a_rank.data(), 1, MPI_INT, node);
  std::vector<CpuSet> masks;
  CpuSet all;
  for (const std::string& text : gather_texts(node, result.cpus.format())) {
    masks.push_back(CpuSet::parse(text));
    all |= masks.back();
  }
  // The tightest quota of the node; the ranks of one job share a control group.
  double quota = machine::cgroup_quota_cores().value_or(0);
  if (quota <= 0) quota = 1e9;
  MPI_Allreduce(MPI_IN_PLACE, &quota, 1, MPI_DOUBLE, MPI_MIN, node);
  result.quota_cores = quota < 1e9 ? quota : 0;
  MPI_Comm_free(&node);

  result.threads = std::accumulate(threads_a_rank.begin(), threads_a_rank.end(), 0);
  result.cores = all.count();
  std::array<int, 2> fitting{fits(masks, threads_a_rank, 0, result.quota_cores) ? 1 : 0,
                             fits(masks, threads_a_rank, 1, result.quota_cores) ? 1 : 0};
  // The fullest node decides for all: whoever waits for it gains nothing by spinning.
  MPI_Allreduce(MPI_IN_PLACE, fitting.data(), 2, MPI_INT, MPI_MIN, comm);
  // All ranks tell the same of it: what the first one sees.
  std::array<double, 4> seen{static_cast<double>(result.ranks), static_cast<double>(result.threads),
                             static_cast<double>(result.cores), result.quota_cores};
  MPI_Bcast(seen.data(), 4, MPI_DOUBLE, 0, comm);
  result.ranks = static_cast<int>(seen[0]);
  result.threads = static_cast<int>(seen[1]);
  result.cores = static_cast<int>(seen[2]);
  result.quota_cores = seen[3];
  result.team_fits = fitting[0] == 1;
  result.team_and_one_fit = fitting[1] == 1;
  return result;
}

}  // namespace plait::solve
