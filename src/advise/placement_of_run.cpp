// SPDX-License-Identifier: BSD-3-Clause
// Chooses a packed or spread placement for a run's program, by its run and the measured machine.
#include "advise/placement_of_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/failure.hpp"
#include "placement/choice.hpp"
#include "plait/error.hpp"
#include "report/profile.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::advise {
namespace {

/// The cores of each rank; empty if a rank may run on all cores.
std::vector<std::vector<int>> cores_of(const report::Profile& profile, std::size_t ranks,
                                       std::size_t allowed) {
  std::map<int, std::set<int>> cores;
  for (const report::ThreadPlace& thread : profile.placement.threads) {
    cores[thread.rank].insert(thread.cores.begin(), thread.cores.end());
  }
  if (cores.size() != ranks) return {};
  std::vector<std::vector<int>> result;
  for (const auto& [rank, own] : cores) {
    if (own.empty() || own.size() >= allowed) return {};
    result.emplace_back(own.begin(), own.end());
  }
  return result;
}

placement::ProgramProfile program_of(const std::filesystem::path& run,
                                     const report::Profile& profile,
                                     const machine::MachineFile& machine) {
  placement::ProgramProfile program;
  program.ranks = static_cast<int>(profile.ranks.size());
  const auto longest =
      std::max_element(profile.ranks.begin(), profile.ranks.end(),
                       [](const auto& a, const auto& b) { return a.compute_s < b.compute_s; });
  program.compute_s = longest->compute_s;
  program.mpi_s = longest->mpi_s;
  const auto [least, most] = std::ranges::minmax(profile.ranks, {}, &report::RankRow::threads);
  if (least.threads != most.threads) {
    throw Error(run.string(),
                fmt::format("its ranks have {} to {} threads, and --run places ranks of one kind",
                            least.threads, most.threads),
                "request each part: \"4 ranks x 8 threads : 2 ranks x 1 thread\"");
  }
  for (const report::RankRow& rank : profile.ranks) {
    program.threads = std::max(program.threads, rank.threads);
    program.compute_of_rank_s.push_back(rank.compute_s);
  }
  program.nodes = std::max(1, static_cast<int>(profile.context.hosts.size()));
  const std::vector<int>& nodes = profile.matrix.nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [](int node) { return node < 0; })) {
    program.node = nodes;
  }
  for (const auto* matrix : {&profile.matrix.point_to_point, &profile.matrix.collective}) {
    for (const report::MatrixEntry& entry : *matrix) {
      program.traffic.push_back({entry.from, entry.to, static_cast<double>(entry.messages),
                                 static_cast<double>(entry.bytes)});
    }
  }
  program.cores = cores_of(profile, profile.ranks.size(), machine.topology.allowed_cores().size());
  return program;
}

/// Names the run when its ranks do not fit on the machine.
placement::PlacementChoice choose(const std::filesystem::path& run,
                                  const placement::ProgramProfile& program,
                                  const machine::MachineFile& machine) {
  try {
    return placement::choose_placement(program, machine.topology, *machine.measured);
  } catch (const Error& error) {
    throw Failure(run.string(),
                  fmt::format("its ranks, on {}, cannot be placed on {}: {}",
                              counted(program.nodes, "node"), machine.host, error.what()),
                  "", exit_code_of(error));
  }
}

placement::ProgramProfile program_of_run(const std::filesystem::path& run,
                                         const machine::MachineFile& machine) {
  const report::Profile profile = report::read_profile(run / "profile.json");
  if (profile.ranks.empty()) {
    throw Error(run.string(), "no ranks in its profile", "run the program again with plait run");
  }
  return program_of(run, profile, machine);
}

/// Finds the memory-bound share from the run, and from the other one if there is one.
void find_memory_bound(const placement::ProgramProfile& program,
                       const std::optional<placement::ProgramProfile>& other,
                       const machine::MachineFile& machine, PlacementOfRun& result) {
  auto points = placement::compute_points(program, machine.topology, *machine.measured);
  if (other) {
    const auto more = placement::compute_points(*other, machine.topology, *machine.measured);
    points.insert(points.end(), more.begin(), more.end());
  }
  result.memory_bound = placement::memory_bound_share(
      points, placement::bandwidth_per_rank(program, machine.topology, *machine.measured));
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(),
      [](const auto& a, const auto& b) { return a.bandwidth_gbs < b.bandwidth_gbs; });
  const std::string where = other ? "in the two runs" : "in the run";
  if (!result.memory_bound) {
    result.memory_bound_from = fmt::format(
        "{} all ranks had about the same memory bandwidth, so the memory-bound share is unknown; "
        "give it with --memory-bound, or with --other-run a run with ranks packed instead of "
        "spread, or the reverse",
        where);
    return;
  }
  result.memory_bound_from = fmt::format(
      "memory-bound share: {} ranks with {} each computed for {}, those with {} for {}; this "
      "assumes equal work in all ranks",
      where, format_bytes_per_second(least->bandwidth_gbs * 1e9), format_seconds(least->compute_s),
      format_bytes_per_second(most->bandwidth_gbs * 1e9), format_seconds(most->compute_s));
}

}  // namespace

PlacementOfRun choose_placement(const std::filesystem::path& run,
                                const std::filesystem::path& other,
                                const machine::MachineFile& machine,
                                std::optional<double> memory_bound) {
  const report::Profile profile = report::read_profile(run / "profile.json");
  placement::ProgramProfile program = program_of_run(run, machine);
  if (!machine.measured) {
    throw Error(machine.host, "not measured", "run plait measure --quick first, or give --machine");
  }
  std::optional<placement::ProgramProfile> beside;
  if (!other.empty()) {
    beside = program_of_run(other, machine);
    if (beside->ranks != program.ranks || beside->threads != program.threads) {
      throw Error(other.string(),
                  fmt::format("has {} x {} threads, {} has {} x {}", counted(beside->ranks, "rank"),
                              beside->threads, run.string(), counted(program.ranks, "rank"),
                              program.threads),
                  "give a run of the same program with as many ranks and threads");
    }
  }
  PlacementOfRun result;
  result.memory_bound = memory_bound;
  try {
    if (!memory_bound) find_memory_bound(program, beside, machine, result);
  } catch (const Error& error) {
    result.memory_bound_from = fmt::format("memory-bound share unknown: {}", error.what());
  }
  program.memory_bound = result.memory_bound;
  result.choice = choose(run, program, machine);
  if (program.nodes > 1) {
    for (const report::HostRanks& host : profile.context.hosts) result.hosts.push_back(host.name);
  }
  return result;
}

}  // namespace plait::advise
