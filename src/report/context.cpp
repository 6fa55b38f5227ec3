// SPDX-License-Identifier: BSD-3-Clause
// The environment of a run: hosts, MPI, OpenMP, and where its threads could run.
#include "report/context.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/mpi_library.hpp"
#include "run/judge_run.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

std::string abi_name(plait_abi abi) {
  switch (abi) {
    case PLAIT_ABI_OPENMPI:
      return "openmpi";
    case PLAIT_ABI_MPICH:
      return "mpich";
    case PLAIT_ABI_STANDARD:
      return "abi";
  }
  return "";
}

std::string thread_level(int provided) {
  constexpr std::array<const char*, 4> kLevels{"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                               "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  if (provided < 0 || provided >= static_cast<int>(kLevels.size())) return "";
  return kLevels[static_cast<std::size_t>(provided)];
}

}  // namespace

Context context_of(const Job& job) {
  Context context;
  std::map<std::string, std::size_t> index;  // of the host
  for (const trace::RankRecord* record : job.ranks) {
    const auto [known, added] = index.try_emplace(record->host, context.hosts.size());
    if (added) context.hosts.push_back({record->host, 0});
    ++context.hosts[known->second].ranks;
    if (context.omp_runtime.empty()) context.omp_runtime = record->omp_runtime;
  }
  if (job.ranks.empty()) return context;
  const trace::RankRecord& first = *job.ranks.front();
  context.mpi = {abi_name(first.abi), truncate(short_library(first.library), 40)};
  context.thread_level = thread_level(first.thread_provided);
  return context;
}

std::vector<int> nodes_of(const Job& job, const std::vector<HostRanks>& hosts) {
  std::vector<int> nodes(static_cast<std::size_t>(std::max(0, job.world_size)), -1);
  std::map<std::string, int> index;  // of the host
  for (std::size_t i = 0; i < hosts.size(); ++i) index.emplace(hosts[i].name, static_cast<int>(i));
  for (const trace::RankRecord* record : job.ranks) {
    const auto rank = static_cast<std::size_t>(record->world_rank);
    if (rank < nodes.size()) nodes[rank] = index.at(record->host);
  }
  return nodes;
}

std::vector<ThreadPlace> thread_places(const std::vector<const trace::RankRecord*>& records,
                                       const machine::MachineFile& machine,
                                       const std::vector<std::string>& command) {
  const placement::PlacementInput input = run::placement_of(records, machine, command);
  std::vector<ThreadPlace> places;
  for (const placement::RankPlace& rank : input.ranks) {
    const placement::HostPlaces& host = input.hosts.at(static_cast<std::size_t>(rank.host));
    for (const placement::ThreadPlace& thread : rank.threads) {
      const std::vector<int> cores = host.topology.cores_of(thread.allowed);
      places.push_back({host.name, rank.rank, thread.thread, thread.tid, thread.allowed.format(),
                        cores, host.topology.numa_of(cores),
                        rank.after_parallel ? "after_parallel" : "init"});
    }
  }
  return places;
}

}  // namespace plait::report
