// SPDX-License-Identifier: BSD-3-Clause
// The other parts of a measurement: the paths between cores, bare and over MPI.
#include <fmt/format.h>

#include <algorithm>

#include "measure/bare_pairs.hpp"
#include "measure/clock.hpp"
#include "measure/measurement.hpp"
#include "measure/memory_speed.hpp"
#include "measure/mpi_part.hpp"
#include "measure/path_figures.hpp"
#include "measure/sizes.hpp"
#include "measure/summarize.hpp"

namespace plait::measure {
namespace {

/// Where the bare part ends when MPI follows.
constexpr double kBareUntil = 0.52;
/// Time beyond the budget after which the MPI run counts as hung; a quick measurement ends within
/// 30 s all the same.
constexpr double kLaunchSeconds = 20;
constexpr double kQuickLaunchSeconds = 7;
constexpr double kPairShare = 3;
constexpr double kTogetherShare = 1;

/// The pair's own entry; raw samples stay in the path's figures only.
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

void Measurement::bare() {
  const double end_s = begin_s_ + (mpi_ ? kBareUntil : 0.97) * budget_s_;
  double shares = 0;
  for (const PathJob& job : jobs_)
    shares += kPairShare + (job.together.size() > 1 ? kTogetherShare : 0);
  for (std::size_t j = 0; j < jobs_.size(); ++j) {
    const PathJob& job = jobs_[j];
    machine::Path path;
    path.id = job.kind.id;
    path.name = job.kind.name;
    path.pairs_total = job.pairs_total;
    result.paths.push_back(std::move(path));
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
    if (cells[i].kind == BareKind::line) {
      std::vector<double> all = path.bare_line_us ? path.bare_line_us->samples : samples;
      if (path.bare_line_us) all.insert(all.end(), samples.begin(), samples.end());
      path.bare_line_us = summarize(all);
      entry_of(path, pair).bare_line_us = without_samples(summarize(samples));
    } else if (cells[i].kind == BareKind::pingpong) {
      append(path.bare_memcpy, cells[i].bytes, &machine::MemcpyPoint::one_way_us, samples);
    } else {
      append(path.bare_pingping, cells[i].bytes, &machine::PingPingPoint::time_us, samples);
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
          {count, sizes[i], summarize(rounds_done.samples[i])});
    }
    figures += static_cast<int>(sizes.size());
    uncertain += static_cast<int>(sizes.size()) - rounds_done.converged;
  }
}

void Measurement::mpi() {
  MpiRequest request;
  // Starting and ending the processes takes a second or two of what is left.
  const double left_s = budget_s_ - elapsed_s();
  request.seconds = std::max(0.5, 0.85 * left_s - 1.0);
  request.off_cache = request_.off_cache;
  request.off_cache_bytes = 2 * last_level_bytes(topology_, cores_);
  request.rounds = rounds(0);
  const MpiPlan plan = plan_mpi(topology_, jobs_, request, mpi_->libraries);
  begin_part(fmt::format("messages over {}, {} ranks", mpi_->launcher.path, plan.probe.pus.size()));
  const double limit_s =
      std::max(left_s, 1.0) + (request_.quick ? kQuickLaunchSeconds : kLaunchSeconds);
  const MpiOutcome outcome = [&] {
    const Progress::Counting counting(progress_);
    return run_mpi(*mpi_, plan.probe, limit_s);
  }();
  take_mpi(plan, outcome.output);
  const bool nothing = outcome.output.cells.empty();
  if (!nothing) result.mpi = machine::MpiContext{outcome.output.library, mpi_->launcher.path};
  if (outcome.failure.empty()) return;
  warnings.push_back(
      fmt::format("MPI part {}: {}; check that {} starts programs, or name another "
                  "MPI with --mpi",
                  nothing ? "not measured" : "incomplete", outcome.failure, mpi_->launcher.path));
}

void Measurement::take_mpi(const MpiPlan& plan, const ProbeOutput& output) {
  for (const ProbeCell& cell : output.cells) {
    if (cell.step >= plan.origins.size()) continue;
    const StepOrigin& origin = plan.origins[cell.step];
    machine::Path& path = result.paths[origin.job];
    const machine::Statistic figure = summarize(cell.samples);
    count(figure);
    const StepKind kind = plan.probe.steps[cell.step].kind;
    add_to_path(path, kind, cell, origin.pairs_at_once);
    if (kind != StepKind::pingpong) continue;
    entry_of(path, origin.pair)
        .mpi_pingpong.push_back({cell.bytes, without_samples(figure),
                                 bandwidth_gbs(static_cast<double>(cell.bytes), figure.median)});
  }
  for (const ProbeOutput::Sentinel& sample : output.sentinels) {
    if (sample.step >= plan.origins.size()) continue;
    sentinels.push_back(
        {sample.ns, fmt::format("MPI {}, {}", name_of(plan.probe.steps[sample.step].kind),
                                jobs_[plan.origins[sample.step].job].kind.name)});
  }
  disturbance += {output.delay_s, output.thread_s};
}

}  // namespace plait::measure
