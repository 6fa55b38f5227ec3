// SPDX-License-Identifier: BSD-3-Clause
// Measures this node: the order of the parts, and what is said about their trustworthiness.
#include "measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/layout.hpp"
#include "machine/discover.hpp"
#include "measure/clock.hpp"
#include "measure/kernels.hpp"
#include "measure/load.hpp"
#include "measure/measurement.hpp"
#include "measure/sentinel_kernel.hpp"
#include "measure/sizes.hpp"
#include "measure/statistics.hpp"
#include "plait/error.hpp"

namespace plait::measure {
namespace {

constexpr double kQuickBudget = 22;
constexpr double kFullBudget = 150;
/// Pairs of one kind that are measured one by one.
constexpr int kQuickPairs = 3;
constexpr int kFullPairs = 16;
/// Pairs of one kind that communicate at once.
constexpr int kQuickTogether = 8;
constexpr int kFullTogether = 64;
/// Share of the threads' time that others may take before Plait warns.
constexpr double kDisturbanceTolerated = 0.02;

std::vector<PathJob> jobs_for(const machine::Topology& topology, bool quick) {
  return quick ? plan_paths(topology, kQuickPairs, kQuickTogether)
               : plan_paths(topology, kFullPairs, kFullTogether);
}

/// The MPI to measure. A wrong --mpi is an error at once; that none is found is only a warning.
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
        fmt::format("{} other {} running at the start; what shares memory and caches with the "
                    "measurement makes it slower; measure again on an idle node",
                    others_running, others_running == 1 ? "process was" : "processes were"));
  }
  const double share = measurement.disturbance.share();
  if (share > kDisturbanceTolerated) {
    measurement.warnings.push_back(
        fmt::format("other processes took {:.0f} % of the time of the measured cores; medians may "
                    "be too slow; measure again on an idle node, or leave the busy cores out with "
                    "--cores",
                    share * 100));
  }
}

}  // namespace

Measurement::Measurement(const MeasureRequest& request, const machine::Topology& topology,
                         std::vector<int> cores, std::optional<MpiChoice> mpi)
    : request_(request),
      topology_(restricted(topology, cores)),
      cores_(std::move(cores)),
      begin_s_(now_s()),
      budget_s_(request.budget_s > 0 ? request.budget_s
                                     : (request.quick ? kQuickBudget : kFullBudget)),
      mpi_(std::move(mpi)),
      progress_(budget_s_),
      random_(kSeed),
      first_core_({topology_.allowed_pus_of(cores_.front()).front()}),
      jobs_(jobs_for(topology_, request.quick)) {
  result.quick = request.quick;
}

double Measurement::elapsed_s() const {
  return now_s() - begin_s_;
}

void Measurement::begin_part(const std::string& name) {
  progress_.part(name);
  first_core_.run([&](int) { sentinels.push_back({run_sentinel(), name}); });
}

double Measurement::slice_s(double end_s, double share, double shares_left) const {
  return std::max(0.0, (end_s - now_s()) * share / shares_left);
}

RoundsPlan Measurement::rounds(double seconds) const {
  return {std::max(0.0, seconds), relative_width(), request_.quick ? 100 : 300};
}

void Measurement::count(const machine::Statistic& figure) {
  ++figures;
  if (!converged(figure.samples, relative_width())) ++uncertain;
}

std::vector<int> cores_to_measure(const machine::Topology& topology,
                                  const std::optional<machine::CpuSet>& wanted,
                                  std::vector<std::string>& notes) {
  std::vector<int> cores = topology.allowed_cores();
  if (wanted) {
    for (const int core : wanted->indices()) {
      if (std::find(cores.begin(), cores.end(), core) != cores.end()) continue;
      throw Error(fmt::format("--cores {}", wanted->format()),
                  fmt::format("core {} is not one of the allowed cores", core),
                  "plait machine show lists them");
    }
    cores = wanted->indices();
    if (cores.empty()) throw Error("--cores", "names no core", "give a list such as 0-3,8");
    notes.push_back(fmt::format("measured on cores {}", wanted->format()));
  }
  const int usable = topology.usable_cores();
  if (usable < static_cast<int>(cores.size())) {
    notes.push_back(
        fmt::format("measured on {} of {} cores: the control group grants the CPU time "
                    "of {:.2g} cores, and threads beyond it would be stopped",
                    usable, cores.size(), topology.cgroup_quota_cores.value_or(usable)));
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
      "the pairs of the path \"{}\" are not alike: a cache line takes {:.3f} us between cores {} "
      "and "
      "{}, {:.3f} us between {} and {}; the system may hide how cores are joined; compare by_pair",
      path.name, nearest->bare_line_us->median, nearest->pair[0], nearest->pair[1],
      farthest->bare_line_us->median, farthest->pair[0], farthest->pair[1]);
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
        "only one hardware thread is measured: paths between cores, and messages over MPI, are "
        "not; measure where at least two cores are allowed");
  }
  measurement.memory();
  measurement.bare();
  if (mpi && !measurement.no_paths()) measurement.mpi();
  if (!request.use_mpi) measurement.notes.emplace_back("MPI part not measured: --no-mpi was given");
  for (const machine::Path& path : measurement.result.paths) {
    const std::string note = uneven_pairs_note(path);
    if (!note.empty()) measurement.notes.push_back(note);
  }
  measurement.result.duration_s = measurement.elapsed_s();
  measurement.result.sentinel = judge_sentinel(measurement.sentinels);
  const std::string speed = sentinel_warning(measurement.sentinels);
  if (!speed.empty()) measurement.warnings.push_back(speed);
  judge_load(others_running, measurement);
  measurement.notes.push_back(
      fmt::format("kernels: {}; random order from seed {}; repeated until the 95 % interval of the "
                  "median was within {:.0f} % or the time was up: {} of {} figures reached it",
                  name_of(best_isa()), kSeed, measurement.relative_width() * 100,
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
