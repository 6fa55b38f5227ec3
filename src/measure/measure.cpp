// SPDX-License-Identifier: BSD-3-Clause
// Measures this node: runs the parts in order and warns about conditions that affect the results.
#include "measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/layout.hpp"
#include "machine/discover.hpp"
#include "machine/figure_checks.hpp"
#include "measure/kernels.hpp"
#include "measure/load.hpp"
#include "measure/measurement.hpp"
#include "measure/sizes.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::measure {
namespace {

/// The fraction of the threads' time spent waiting for a CPU above which Plait warns.
constexpr double kDisturbanceTolerated = 0.02;

/// The MPI to measure. A wrong --mpi is an error; without --mpi, a missing MPI is only a warning.
std::optional<MpiChoice> mpi_for(const MeasureRequest& request,
                                 std::vector<std::string>& warnings) {
  if (!request.use_mpi) return std::nullopt;
  try {
    return choose_mpi(request.mpi, install_layout().libexec);
  } catch (const Error& error) {
    if (!request.mpi.empty()) throw;
    warnings.push_back(fmt::format("MPI part not measured: {}", error.what()));
    return std::nullopt;
  }
}

void judge_load(int others_running, Measurement& measurement) {
  if (others_running > 0) {
    measurement.warnings.push_back(
        fmt::format("{} running at the start; processes that share memory and caches slow the "
                    "measurement down; measure again on an idle node",
                    counted(others_running, "other process was", "other processes were")));
  }
  const double share = measurement.disturbance.share();
  if (share > kDisturbanceTolerated) {
    measurement.warnings.push_back(
        fmt::format("the measured threads waited {} of the time for a CPU; medians may be too "
                    "slow; measure again on an idle node, or exclude the busy cores with --cores",
                    format_percent(share)));
  }
}

}  // namespace

std::vector<int> cores_to_measure(const machine::Topology& topology,
                                  const std::optional<machine::CpuSet>& wanted,
                                  std::vector<std::string>& notes) {
  std::vector<int> cores = topology.allowed_cores();
  if (wanted) {
    for (const int core : wanted->indices()) {
      if (std::find(cores.begin(), cores.end(), core) != cores.end()) continue;
      throw Error(fmt::format("--cores {}", wanted->format()),
                  fmt::format("core {} does not exist or is not allowed", core),
                  "choose among the allowed cores that plait machine show lists");
    }
    cores = wanted->indices();
    if (cores.empty()) throw Error("--cores", "the list is empty", "give a list such as 0-3,8");
    notes.push_back(fmt::format("measured on cores {}", wanted->format()));
  }
  const int usable = topology.usable_cores();
  if (usable < static_cast<int>(cores.size())) {
    notes.push_back(
        fmt::format("measured on {} of {} cores: the quota of the control group is {} cores, and "
                    "more threads would be throttled",
                    usable, cores.size(),
                    format_number(topology.cgroup_quota_cores.value_or(usable), Zeros::dropped)));
    cores.resize(static_cast<std::size_t>(usable));
  }
  return cores;
}

std::string uneven_pairs_note(const machine::Path& path) {
  constexpr double kTolerated = 1.5;
  const machine::PairResult* nearest = nullptr;
  const machine::PairResult* farthest = nullptr;
  for (const machine::PairResult& pair : path.by_pair) {
    if (!pair.bare_line_us) continue;
    const double us = pair.bare_line_us->median;
    if (nearest == nullptr || us < nearest->bare_line_us->median) nearest = &pair;
    if (farthest == nullptr || us > farthest->bare_line_us->median) farthest = &pair;
  }
  if (nearest == nullptr ||
      farthest->bare_line_us->median <= kTolerated * nearest->bare_line_us->median) {
    return {};
  }
  return fmt::format(
      "the pairs of the path \"{}\" differ: a cache line takes {} between cores {} and {}, but {} "
      "between {} and {}; the system may hide how cores are connected; see by_pair in the machine "
      "file",
      path.name, format_seconds(nearest->bare_line_us->median * 1e-6), nearest->pair[0],
      nearest->pair[1], format_seconds(farthest->bare_line_us->median * 1e-6), farthest->pair[0],
      farthest->pair[1]);
}

MeasureOutcome measure_machine(const MeasureRequest& request) {
  MeasureOutcome outcome;
  outcome.file = machine::discover_local();
  const std::vector<int> cores =
      cores_to_measure(outcome.file.topology, request.cores, outcome.file.notes);
  const std::optional<MpiChoice> mpi = mpi_for(request, outcome.warnings);
  const int others_running = processes_running_beside();
  Measurement measurement(request, outcome.file.topology, cores, mpi);
  if (measurement.no_paths()) {
    measurement.warnings.emplace_back(
        "only one hardware thread is measured, so there are no results for paths between cores and "
        "MPI messages; measure with at least two allowed cores");
  }
  measurement.memory();
  measurement.openmp();
  measurement.bare();
  if (mpi && !measurement.no_paths()) measurement.mpi();
  measurement.repeat_unusable();
  if (!request.use_mpi) measurement.notes.emplace_back("MPI part not measured: --no-mpi was given");
  for (const machine::Path& path : measurement.result.paths) {
    const std::string note = uneven_pairs_note(path);
    if (!note.empty()) measurement.notes.push_back(note);
  }
  measurement.result.duration_s = measurement.elapsed_s();
  measurement.result.waited_for_cpu = measurement.disturbance.share();
  measurement.result.sentinel = judge_sentinel(measurement.sentinels);
  const std::string speed = sentinel_warning(measurement.sentinels);
  if (!speed.empty()) measurement.warnings.push_back(speed);
  machine::check_figures(measurement.result);
  judge_load(others_running, measurement);
  measurement.notes.push_back(fmt::format(
      "kernels: {}; random order with seed {}; repeated until the 95 % interval of the "
      "median was within {} or the time was up; {} of {} results reached that width",
      name_of(best_isa()), kSeed, format_percent(measurement.relative_width(), Zeros::dropped),
      measurement.figures - measurement.uncertain, measurement.figures));

  outcome.file.origin = "measured";
  outcome.file.created = machine::utc_now();
  outcome.warnings.insert(outcome.warnings.end(), measurement.warnings.begin(),
                          measurement.warnings.end());
  for (const auto& more : {measurement.notes, outcome.warnings}) {
    outcome.file.notes.insert(outcome.file.notes.end(), more.begin(), more.end());
  }
  outcome.file.measured = std::move(measurement.result);
  return outcome;
}

}  // namespace plait::measure
