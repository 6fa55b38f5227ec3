// SPDX-License-Identifier: BSD-3-Clause
// The state of a measurement of one node, and its parts: memory, copies between cores, MPI.
#include "measure/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/statistics.hpp"
#include "machine/figure_checks.hpp"
#include "machine/merge_measured.hpp"
#include "measure/bare_pairs.hpp"
#include "measure/clock.hpp"
#include "measure/kernels.hpp"
#include "measure/memory_speed.hpp"
#include "measure/mpi_part.hpp"
#include "measure/openmp_costs.hpp"
#include "measure/pages.hpp"
#include "measure/path_figures.hpp"
#include "measure/repetition.hpp"
#include "measure/sentinel_kernel.hpp"
#include "measure/sizes.hpp"
#include "measure/summarize.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::measure {
namespace {

constexpr double kQuickBudget = 22;
constexpr double kFullBudget = 150;
/// The fraction of the budget that is kept for the repetition of unusable figures.
constexpr double kRepeatShare = 0.12;
/// Seconds below which an MPI run is not worth its start.
constexpr double kShortestRun = 1.5;
/// Pairs of one kind that are measured one by one.
constexpr int kQuickPairs = 3;
constexpr int kFullPairs = 16;
/// Pairs of one kind that communicate at once.
constexpr int kQuickTogether = 8;
constexpr int kFullTogether = 64;

/// The fraction of the budget for STREAM and P(k); almost all of it if there are no paths.
constexpr double kMemoryShare = 0.32;
/// The fraction of that for STREAM (eight figures); the rest is for P(k) (two figures).
constexpr double kStreamShare = 0.65;
/// Seconds for the floating-point peak of a number of cores, out of those of P(k).
constexpr double kPeakSeconds = 0.05;

/// The fraction of the budget for several threads per core.
constexpr double kHardwareThreadsShare = 0.03;
/// The fraction of the budget for OpenMP constructs.
constexpr double kOpenMpShare = 0.04;
/// Programs that are started for each runtime and number of threads.
constexpr int kQuickStarts = 3;
constexpr int kFullStarts = 8;
/// The fraction of the budget for MPI_Init.
constexpr double kInitShare = 0.04;
/// Seconds after which a start of MPI counts as hung.
constexpr double kInitLimit = 30;

/// The fraction of the budget after which the copies between cores end if MPI follows.
constexpr double kBareUntil = 0.52;
/// Seconds beyond the budget after which the MPI run counts as hung. With the second value, a quick
/// measurement still ends within 30 s.
constexpr double kLaunchSeconds = 20;
constexpr double kQuickLaunchSeconds = 7;
constexpr double kPairShare = 3;
constexpr double kTogetherShare = 1;

std::vector<PathJob> jobs_for(const machine::Topology& topology, bool quick) {
  return quick ? plan_paths(topology, kQuickPairs, kQuickTogether)
               : plan_paths(topology, kFullPairs, kFullTogether);
}

/// Reorders counts: the first, the last, then the others. If time runs short, counts in between are
/// left out.
std::vector<int> ends_first(std::vector<int> counts) {
  if (counts.size() > 2) std::rotate(counts.begin() + 1, counts.end() - 1, counts.end());
  return counts;
}

/// The entry of a pair, which has no raw samples: those are only in the figures of the path.
machine::PairResult& entry_of(machine::Path& path, const machine::CorePair& pair) {
  for (machine::PairResult& entry : path.by_pair) {
    if (entry.pair == pair) return entry;
  }
  path.by_pair.push_back({pair, {}, {}});
  return path.by_pair.back();
}

machine::Statistic without_samples(machine::Statistic statistic) {
  statistic.samples.clear();
  return statistic;
}

}  // namespace

Measurement::Measurement(const MeasureRequest& request, const machine::Topology& topology,
                         std::vector<int> cores, std::optional<MpiChoice> mpi)
    : request_(request),
      topology_(restricted(topology, cores)),
      cores_(std::move(cores)),
      begin_s_(now_s()),
      budget_s_((1 - kRepeatShare) * (request.budget_s > 0
                                          ? request.budget_s
                                          : (request.quick ? kQuickBudget : kFullBudget))),
      whole_s_(budget_s_ / (1 - kRepeatShare)),
      mpi_(std::move(mpi)),
      progress_("measuring", whole_s_),
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

void Measurement::memory() {
  const int n = static_cast<int>(cores_.size());
  const std::vector<int> counts = ends_first(core_counts(n, request_.quick ? 4 : 16));
  if (!has_non_temporal_stores(best_isa())) {
    notes.emplace_back("this processor has no kernels with stores that bypass the caches");
  }
  const std::uint64_t memory = memory_to_use();
  const std::uint64_t last_level = last_level_bytes(topology_, cores_);
  if (4 * last_level > memory) {
    notes.push_back(
        fmt::format("arrays are smaller than four times the last-level cache ({}) because only {} "
                    "of memory are available; bandwidths may be those of the cache",
                    format_bytes(last_level), format_bytes(memory)));
  }
  const double threads_s = has_hardware_threads() ? kHardwareThreadsShare * budget_s_ : 0;
  std::vector<int> done;
  const double end_s = begin_s_ - threads_s + (jobs_.empty() ? 0.95 : kMemoryShare) * budget_s_;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const int k = counts[i];
    // One core and all cores are always measured.
    if (i > 1 && now_s() > end_s) break;
    done.push_back(k);
    memory_on(k, slice_s(end_s, 1, static_cast<double>(counts.size() - i)));
  }
  if (threads_s > 0) hardware_threads(threads_s);
  std::sort(done.begin(), done.end());
  if (static_cast<int>(done.size()) < n) {
    notes.push_back(fmt::format("memory speed measured for {} of {} core counts: {}", done.size(),
                                n, fmt::join(done, ", ")));
  }
  std::stable_sort(result.stream.begin(), result.stream.end(),
                   [](const auto& a, const auto& b) { return a.threads < b.threads; });
  std::stable_sort(result.jacobi.begin(), result.jacobi.end(),
                   [](const auto& a, const auto& b) { return a.cores < b.cores; });
  std::stable_sort(result.peak.begin(), result.peak.end(),
                   [](const auto& a, const auto& b) { return a.cores < b.cores; });
}

bool Measurement::has_hardware_threads() const {
  return std::ranges::any_of(cores_,
                             [&](int core) { return topology_.allowed_pus_of(core).size() > 1; });
}

void Measurement::hardware_threads(double seconds) {
  std::vector<int> one_per_core;
  std::vector<int> all;
  for (const int core : cores_) {
    const std::vector<int> pus = topology_.allowed_pus_of(core);
    one_per_core.push_back(pus.front());
    all.insert(all.end(), pus.begin(), pus.end());
  }
  begin_part("several threads per core");
  result.hardware_threads = measure_hardware_threads(
      one_per_core, all, stream_array_bytes(last_level_bytes(topology_, cores_), memory_to_use()),
      rounds(seconds), random_, disturbance);
  for (const machine::HardwareThreads& work : result.hardware_threads) {
    count(work.one_per_core);
    count(work.all);
  }
}

void Measurement::memory_on(int cores, double seconds) {
  const std::vector<int> some(cores_.begin(), cores_.begin() + cores);
  std::vector<int> pus;
  for (const int core : some) pus.push_back(topology_.allowed_pus_of(core).front());
  const std::uint64_t memory = memory_to_use();

  begin_part(fmt::format("STREAM, {} of {} threads", cores, cores_.size()));
  const std::uint64_t array_bytes = stream_array_bytes(last_level_bytes(topology_, some), memory);
  const double stream_end_s = now_s() + kStreamShare * seconds;
  for (machine::StreamResult& figure :
       measure_stream(pus, array_bytes, rounds(kStreamShare * seconds), random_, disturbance)) {
    count(figure.gbs);
    result.stream.push_back(std::move(figure));
  }
  begin_part(fmt::format("floating-point peak, {} of {} cores", cores, cores_.size()));
  result.peak.push_back(measure_peak(pus, rounds(kPeakSeconds), random_, disturbance));
  count(result.peak.back().gflops);
  begin_part(fmt::format("Jacobi kernel, {} of {} cores", cores, cores_.size()));
  const int edge = jacobi_edge(last_level_bytes(topology_, cores_), memory);
  const double late_s = std::max(0.0, now_s() - stream_end_s);
  for (machine::JacobiResult& figure : measure_jacobi(
           pus, edge, rounds((1 - kStreamShare) * seconds - late_s), random_, disturbance)) {
    count(figure.mlups);
    result.jacobi.push_back(std::move(figure));
  }
}

void Measurement::openmp() {
  if (cores_.size() < 2) return;
  OpenMpRequest request;
  request.runtimes = one_of_each(run::find_omp_runtimes());
  for (const int core : cores_) request.pus.push_back(topology_.allowed_pus_of(core).front());
  request.seconds = kOpenMpShare * budget_s_;
  request.relative_width = relative_width();
  request.starts = request_.quick ? kQuickStarts : kFullStarts;
  begin_part("OpenMP constructs");
  OpenMpOutcome outcome = [&] {
    const Progress::Counting counting(progress_);
    return measure_openmp(request);
  }();
  for (const machine::OpenMpCost& cost : outcome.costs) {
    for (const machine::Statistic* figure : {&cost.region_us, &cost.barrier_us, &cost.task_us}) {
      count(*figure);
    }
  }
  result.openmp = std::move(outcome.costs);
  warnings.insert(warnings.end(), outcome.warnings.begin(), outcome.warnings.end());
}

void Measurement::bare() {
  for (const PathJob& job : jobs_) {
    machine::Path path;
    path.id = job.kind.id;
    path.name = job.kind.name;
    path.pairs_total = job.pairs_total;
    result.paths.push_back(std::move(path));
  }
  bare_jobs(std::vector<bool>(jobs_.size(), true),
            begin_s_ + (mpi_ ? kBareUntil : 0.97) * budget_s_);
}

void Measurement::bare_jobs(const std::vector<bool>& wanted, double end_s) {
  double shares = 0;
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    if (wanted[j]) shares += kPairShare + (jobs_[j].together.size() > 1 ? kTogetherShare : 0);
  }
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    if (!wanted[j]) continue;
    const PathJob& job = jobs_[j];
    begin_part(fmt::format("memory copies between cores, {}: {} of {} pairs", job.kind.name,
                           job.pairs.size(), job.pairs_total));
    const double slice = slice_s(end_s, kPairShare, shares);
    for (const machine::CorePair& pair : job.pairs) {
      bare_pair(j, pair, slice / static_cast<double>(job.pairs.size()));
    }
    shares -= kPairShare;
    if (job.together.size() < 2) continue;
    begin_part(fmt::format("memory copies, {}: up to {} pairs at once", job.kind.name,
                           job.together.size()));
    bare_together(j, slice_s(end_s, kTogetherShare, shares));
    shares -= kTogetherShare;
  }
}

void Measurement::bare_pair(std::size_t job, const machine::CorePair& pair, double seconds) {
  std::vector<BareCell> cells{{BareKind::line, 0}};
  for (const BareKind kind : {BareKind::pingpong, BareKind::pingping}) {
    for (const std::uint64_t bytes : message_sizes()) cells.push_back({kind, bytes});
  }
  const RoundsResult rounds_done =
      measure_bare_pair(pus_of_pair(topology_, pair), cells, rounds(seconds), random_, disturbance);
  machine::Path& path = result.paths[job];
  path.pairs.push_back(pair);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::vector<double>& samples = rounds_done.samples[i];
    const int disturbed = rounds_done.disturbed[i];
    if (cells[i].kind == BareKind::line) {
      std::vector<double> all = path.bare_line_us ? path.bare_line_us->samples : samples;
      if (path.bare_line_us) all.insert(all.end(), samples.begin(), samples.end());
      const int before = path.bare_line_us ? path.bare_line_us->disturbed : 0;
      path.bare_line_us = summarize(all, before + disturbed);
      entry_of(path, pair).bare_line_us = without_samples(summarize(samples, disturbed));
    } else if (cells[i].kind == BareKind::pingpong) {
      append(path.bare_memcpy, cells[i].bytes, &machine::MemcpyPoint::one_way_us, samples,
             disturbed);
    } else {
      append(path.bare_pingping, cells[i].bytes, &machine::PingPingPoint::time_us, samples,
             disturbed);
    }
  }
  figures += static_cast<int>(cells.size());
  uncertain += static_cast<int>(cells.size()) - rounds_done.converged;
}

void Measurement::bare_together(std::size_t job, double seconds) {
  const std::vector<std::uint64_t> sizes = multi_pair_sizes();
  const std::vector<int> counts = pair_counts(static_cast<int>(jobs_[job].together.size()));
  for (const int count : counts) {
    std::vector<PuPair> pairs;
    for (int i = 0; i < count; ++i) {
      pairs.push_back(pus_of_pair(topology_, jobs_[job].together[static_cast<std::size_t>(i)]));
    }
    const RoundsResult rounds_done = measure_bare_together(
        pairs, sizes, rounds(seconds / static_cast<double>(counts.size())), random_, disturbance);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      result.paths[job].bare_multi_pair.push_back(
          {count, sizes[i], summarize(rounds_done.samples[i], rounds_done.disturbed[i])});
    }
    figures += static_cast<int>(sizes.size());
    uncertain += static_cast<int>(sizes.size()) - rounds_done.converged;
  }
}

MpiPlan Measurement::whole_plan(double seconds) const {
  MpiRequest request;
  request.seconds = seconds;
  request.off_cache = request_.off_cache;
  request.off_cache_bytes = 2 * last_level_bytes(topology_, cores_);
  request.rounds = rounds(0);
  return plan_mpi(topology_, jobs_, request, mpi_->libraries);
}

void Measurement::mpi() {
  // Starting and stopping the processes takes a second or two of the rest.
  const double left_s = budget_s_ - elapsed_s();
  const double init_s = kInitShare * budget_s_;
  const MpiPlan plan = whole_plan(std::max(0.5, 0.85 * left_s - 1.0 - init_s));
  run_steps(plan, std::max(left_s, 1.0) + (request_.quick ? kQuickLaunchSeconds : kLaunchSeconds));
  if (result.mpi) mpi_init(plan.probe.pus, init_s);
}

void Measurement::mpi_init(const std::vector<int>& pus, double seconds) {
  const int n = static_cast<int>(pus.size());
  std::vector<int> counts{1};
  while (!request_.quick && 2 * counts.back() < n) counts.push_back(2 * counts.back());
  if (n > 1) counts.push_back(n);
  begin_part("MPI_Init");
  const Progress::Counting counting(progress_);
  MpiPlan plan = whole_plan(0);
  plan.probe.steps.clear();
  std::string failure;
  const auto time_of = [&](std::size_t cell) {
    if (!failure.empty()) return Sample(0);
    plan.probe.pus.assign(pus.begin(), pus.begin() + counts[cell]);
    const MpiOutcome outcome = run_mpi(*mpi_, plan.probe, kInitLimit);
    const ProbeOutput& output = outcome.output;
    if (!outcome.failure.empty()) {
      failure = fmt::format("{}: {}", counted(counts[cell], "rank"), outcome.failure);
    }
    // The ranks also wait for a CPU while their own launcher runs, which is part of MPI_Init.
    return Sample(output.init_s * 1e6);
  };
  RoundsPlan starts = rounds(seconds);
  starts.max_rounds = request_.quick ? kQuickStarts : kFullStarts;
  const RoundsResult times = sample_in_rounds(counts.size(), starts, random_, time_of);
  if (!failure.empty()) {
    warnings.push_back("MPI_Init not measured with " + failure);
    return;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    result.mpi_init.push_back({counts[i], summarize(times.samples[i], times.disturbed[i])});
  }
}

void Measurement::run_steps(const MpiPlan& plan, double limit_s) {
  begin_part(fmt::format("messages with {}, {} ranks", mpi_->launcher.path, plan.probe.pus.size()));
  const MpiOutcome outcome = [&] {
    const Progress::Counting counting(progress_);
    return run_mpi(*mpi_, plan.probe, limit_s);
  }();
  take_mpi(plan, outcome.output);
  const bool nothing = outcome.output.cells.empty();
  if (!nothing) result.mpi = machine::MpiContext{outcome.output.library, mpi_->launcher.path};
  if (outcome.failure.empty()) return;
  warnings.push_back(
      fmt::format("MPI part {}: {}; check that {} can start programs, or choose another MPI with "
                  "--mpi",
                  nothing ? "not measured" : "incomplete", outcome.failure, mpi_->launcher.path));
}

void Measurement::take_mpi(const MpiPlan& plan, const ProbeOutput& output) {
  for (const ProbeCell& cell : output.cells) {
    if (cell.step >= plan.origins.size()) continue;
    const StepOrigin& origin = plan.origins[cell.step];
    machine::Path& path = result.paths[origin.job];
    const machine::Statistic figure = summarize(cell.samples, cell.disturbed);
    count(figure);
    const StepKind kind = plan.probe.steps[cell.step].kind;
    add_to_path(path, kind, cell, origin.pairs_at_once);
    if (kind != StepKind::pingpong) continue;
    entry_of(path, origin.pair)
        .mpi_pingpong.push_back({cell.bytes, without_samples(figure),
                                 bandwidth_gbs(static_cast<double>(cell.bytes), figure.median)});
  }
  for (machine::Path& path : result.paths) remove_incomplete(path);
  for (const ProbeOutput::Sentinel& sample : output.sentinels) {
    if (sample.step >= plan.origins.size()) continue;
    sentinels.push_back(
        {sample.ns, fmt::format("MPI {}, {}", name_of(plan.probe.steps[sample.step].kind),
                                jobs_[plan.origins[sample.step].job].kind.name)});
  }
  const std::string skipped = skipped_warning(output);
  if (!skipped.empty()) warnings.push_back(skipped);
  disturbance += {output.delay_s, output.thread_s};
}

void Measurement::repeat_unusable() {
  result.sentinel = judge_sentinel(sentinels);
  machine::check_figures(result);
  const Repetition repetition = plan_repetition(result);
  const double end_s = begin_s_ + whole_s_;
  if (repetition.empty() || now_s() >= end_s) return;
  // The figures of the repetition are collected like all others, then compared with the first ones.
  machine::Measured first = std::move(result);
  result = {};
  for (const machine::Path& path : first.paths) {
    result.paths.emplace_back();
    result.paths.back().id = path.id;
    result.paths.back().name = path.name;
  }
  const std::pair counted_before(figures, uncertain);
  const bool bare = !repetition.bare_paths.empty();
  const bool messages = !repetition.steps.empty() && first.mpi;
  const double share = 1.0 / (static_cast<double>(repetition.cores.size()) + (bare ? 1.0 : 0.0) +
                              (messages ? 2.0 : 0.0));
  const double seconds = end_s - now_s();
  for (const int cores : repetition.cores) memory_on(cores, share * seconds);
  if (bare) {
    std::vector<bool> wanted(jobs_.size());
    for (const std::size_t path : repetition.bare_paths) wanted[path] = true;
    bare_jobs(wanted, now_s() + share * seconds);
  }
  const double left_s = end_s - now_s();
  if (messages && left_s >= kShortestRun) {
    run_steps(only(whole_plan(1), repetition.steps, 0.8 * left_s - 1.0),
              left_s + (request_.quick ? kQuickLaunchSeconds : kLaunchSeconds));
  }
  std::tie(figures, uncertain) = counted_before;
  const machine::Measured again = std::exchange(result, std::move(first));
  const int replaced = machine::replace_unusable(result, again);
  notes.push_back(
      fmt::format("{} measured again, because {} contradicted others or varied; {} "
                  "replaced",
                  counted(repetition.figures, "figure was", "figures were"),
                  repetition.figures == 1 ? "it" : "they", replaced));
}

}  // namespace plait::measure
