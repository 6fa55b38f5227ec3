// SPDX-License-Identifier: BSD-3-Clause
// Runs all parts of an analysis.
#include "analysis/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <functional>
#include <optional>

#include "analysis/untraced.hpp"
#include "base/parallel.hpp"
#include "text/counted.hpp"
#include "text/units.hpp"

namespace plait::analysis {
namespace {

/// Measures the CPU time of the calling thread in laps.
class Watch {
public:
  /// Adds the CPU time since construction or the last lap to `part`, s.
  void lap(double& part) {
    const double now = cpu_s();
    part += now - last_;
    last_ = now;
  }

private:
  static double cpu_s() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  double last_ = cpu_s();
};

void add_notes(const trace::Trace& trace, const Lanes& lanes, Analysis& analysis) {
  std::uint64_t lost = 0;
  std::uint64_t overwritten = 0;
  std::size_t incomplete = 0;
  for (const trace::Rank& rank : trace.ranks) {
    lost += rank.lost_events;
    overwritten += rank.overwritten_events;
    if (!rank.streams.empty() && !rank.complete) ++incomplete;
  }
  const auto note = [&](std::string text) { analysis.notes.push_back(std::move(text)); };
  if (lost > 0) note(fmt::format("{} events did not fit into the trace", lost));
  if (overwritten > 0) {
    note(fmt::format("the trace is a ring: {} earlier events were overwritten", overwritten));
  }
  if (incomplete > 0) {
    note(fmt::format("{} of {} ranks did not reach MPI_Finalize", incomplete, trace.ranks.size()));
  }
  if (trace.unmatched_sends + trace.unmatched_receives > 0) {
    note(fmt::format("{} sends and {} receives have no partner in the trace", trace.unmatched_sends,
                     trace.unmatched_receives));
  }
  if (!trace.cuts.empty()) {
    note(fmt::format(
        "traced: {} of {}; in the rest, {}, at least one rank recorded no events (--trace-region, "
        "--trace-signal or MPI_Pcontrol); times do not include it, and for the {} sends and {} "
        "receives whose other side was not recorded no waiting is counted",
        format_seconds(analysis.time_s), format_seconds(analysis.time_s + analysis.cut_s),
        counted(trace.cuts.size(), "part"), trace.untraced_sends, trace.untraced_receives));
  }
  if (trace.left_out > 0) {
    note(
        fmt::format("traced: {}; the other side of {} sends and {} receives is on other ranks; the "
                    "critical path, the replay, serialization and transfer need all ranks",
                    trace::traced_text(trace), trace.untraced_sends, trace.untraced_receives));
  }
  if (trace.clock_error_s > 0) {
    note(
        fmt::format("the nodes' clocks agree within {}; shorter waits between nodes are "
                    "unreliable",
                    format_seconds(trace.clock_error_s)));
  }
  const auto threads =
      std::ranges::count_if(lanes.all, [](const Lane& lane) { return lane.stream != 0; });
  if (threads > 0) {
    note(
        fmt::format("{} threads other than the main threads call MPI; wait states, causes, the "
                    "replay and the imbalance diagram include their calls; the efficiencies are "
                    "those of the thread of each rank that spends most time in MPI",
                    threads));
  }
}

/// Replaces the transfer cause of delay analysis by the more accurate result of the replay.
void set_transfer(const Imbalance& imbalance, std::vector<RootCause>& causes) {
  std::erase_if(causes, [](const RootCause& cause) { return cause.kind == "transfer"; });
  RootCause transfer;
  transfer.kind = "transfer";
  transfer.before_site = imbalance.costliest_site;
  std::vector<std::pair<double, int>> order;
  for (const ImbalanceRow& row : imbalance.ranks) {
    transfer.seconds += row.interconnect_s;
    order.emplace_back(-row.interconnect_s, row.rank);
  }
  if (transfer.seconds <= 0) return;
  std::ranges::sort(order);
  for (const auto& [seconds, rank] : order) {
    if (transfer.delayed.size() < 8 && seconds < 0) transfer.delayed.push_back(rank);
  }
  causes.push_back(std::move(transfer));
  sort_causes(causes);
}

/// Replaces what would be wrong if the cause is on a rank that was left out: transfer, and the
/// efficiencies of phases that depend on it.
void allow_for_left_out(const std::vector<WaitState>& untraced, Analysis& analysis) {
  RootCause unknown;
  unknown.kind = kUntraced;
  for (const RootCause& cause : analysis.causes) {
    if (cause.kind == "transfer") unknown.seconds += cause.seconds;
  }
  std::erase_if(analysis.causes, [](const RootCause& cause) { return cause.kind == "transfer"; });
  for (const WaitState& state : untraced) unknown.seconds += state.seconds;
  if (!untraced.empty()) unknown.before_site = untraced.front().site;
  if (unknown.seconds > 0) analysis.causes.push_back(std::move(unknown));
  sort_causes(analysis.causes);
  analysis.waits.insert(analysis.waits.end(), untraced.begin(), untraced.end());
  std::ranges::stable_sort(analysis.waits, std::ranges::greater{}, &WaitState::seconds);
  for (Phase& phase : analysis.phases) {
    phase.efficiencies.definition = "multiplicative, traced ranks";
    phase.efficiencies.ideal_s = phase.efficiencies.serialization = phase.efficiencies.transfer =
        std::nullopt;
  }
}

/// Time that the ranks lost because they waited for a CPU, or for a rank that did, s.
double cpu_wait_of(const std::vector<RootCause>& causes) {
  const auto cause = std::ranges::find(causes, std::string(kCpuWait), &RootCause::kind);
  return cause == causes.end() ? 0 : cause->seconds;
}

void add_efficiencies(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                      unsigned threads, Processes* processes, Analysis& analysis) {
  const std::vector<RankUse> ranks = rank_use(trace, lanes, waits, threads, processes);
  const double lost_s =
      ranks.empty() ? 0 : cpu_wait_of(analysis.causes) / static_cast<double>(ranks.size());
  const auto add = [&](std::optional<double> ideal_s, const char* by) {
    for (PopSet set : {multiplicative(ranks, analysis.time_s, ideal_s, lost_s),
                       additive(ranks, analysis.time_s, ideal_s, lost_s)}) {
      set.definition += by;
      analysis.efficiencies.push_back(std::move(set));
    }
  };
  if (analysis.ideal_s > 0) add(analysis.ideal_s, ", replay");
  if (trace.left_out > 0) {
    add(std::nullopt, ", traced ranks");
  } else {
    add(ideal_by_waits(ranks), ", wait states");
  }
  analysis.efficiencies.front().recommended = true;
}

bool is_alone(const Processes* processes) {
  return processes == nullptr || processes->size() == 1;
}

/// The replay and the causes take longest, and run at the same time if one process does both.
unsigned threads_of_long_part(unsigned threads, const Processes* processes) {
  const unsigned all = threads == 0 ? usable_cpus() : threads;
  return is_alone(processes) ? std::max(1U, all / 2) : all;
}

}  // namespace

Analysis analyze(const trace::Trace& trace, const machine::Measured* measured, const RunMpi& mpi,
                 AnalysisTimes* times, unsigned threads, Processes* processes) {
  AnalysisTimes ignored;
  AnalysisTimes& took = times != nullptr ? *times : ignored;
  Watch watch;
  Analysis analysis;
  analysis.events = trace::event_count(trace);
  analysis.traced_ranks = static_cast<std::uint32_t>(trace.ranks.size()) - trace.left_out;
  const auto alone = static_cast<double>(trace.unmatched_sends + trace.unmatched_receives);
  const double halves = alone + 2 * static_cast<double>(trace.message_count);
  analysis.without_partner = halves > 0 ? alone / halves : 0;
  const Lanes lanes = make_lanes(trace, threads, processes);
  analysis.time_s = to_seconds(lanes.end - lanes.begin);
  analysis.cut_s = trace::cut_seconds(trace);
  add_notes(trace, lanes, analysis);
  watch.lap(took.lanes_s);

  const Waits waits = find_waits(trace, lanes, threads, processes);
  analysis.waits = sum_waits(trace, lanes, waits, threads, processes);
  analysis.waiting_s = waiting_by_rank(lanes, waits, threads, processes);
  watch.lap(took.waits_s);

  const unsigned of_long_part = threads_of_long_part(threads, processes);

  const auto timed = [](double& part_s, auto work) {
    return [&part_s, work] {
      Watch part;
      work();
      part.lap(part_s);
    };
  };
  std::string why;
  const auto replay = [&] {
    if (trace.left_out > 0) return;
    const std::optional<IdealRun> ideal =
        replay_ideally(trace, eager_limits(trace, measured, waits), why, of_long_part, processes);
    if (!ideal) return;
    analysis.ideal_s = ideal->result.time_s;
    analysis.imbalance =
        find_imbalance(trace, lanes, *ideal, size_classes(measured), threads, processes);
  };
  const auto causes = [&] {
    const Intervals intervals = find_intervals(trace, lanes, waits, of_long_part, processes);
    analysis.causes = find_causes(trace, lanes, waits, intervals, of_long_part, processes);
  };
  const auto messages = [&] {
    analysis.messages = profile_messages(trace, waits, measured, of_long_part, processes);
  };
  const auto phases = [&] {
    analysis.phases = find_phases(trace, lanes, waits, of_long_part, processes);
  };
  const auto critical_path = [&] {
    if (trace.left_out > 0) return;
    analysis.critical_path = find_critical_path(trace, lanes, waits, of_long_part, processes);
  };
  const std::array<std::function<void()>, 5> parts{
      timed(took.replay_s, replay), timed(took.causes_s, causes), timed(took.phases_s, phases),
      timed(took.messages_s, messages), timed(took.critical_path_s, critical_path)};
  if (is_alone(processes)) {
    for_each_index(
        parts.size(), [&](std::size_t i) { parts[i](); }, threads);
  } else {  // by all of them, in the same order
    for (const std::function<void()>& part : parts) part();
  }
  watch = Watch();
  if (!why.empty()) analysis.notes.push_back(why);
  if (!analysis.imbalance.ranks.empty()) {
    take_cpu_wait(cpu_wait_of(analysis.causes), analysis.imbalance);
    set_transfer(analysis.imbalance, analysis.causes);
  }
  if (trace.left_out > 0)
    allow_for_left_out(untraced_waits(trace, lanes, waits, threads, processes), analysis);
  add_efficiencies(trace, lanes, waits, threads, processes, analysis);
  watch.lap(took.efficiencies_s);
  analysis.patterns =
      find_patterns(trace, lanes, waits, analysis.causes, measured, mpi, threads, processes);
  watch.lap(took.patterns_s);
  return analysis;
}

}  // namespace plait::analysis
