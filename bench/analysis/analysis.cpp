// SPDX-License-Identifier: BSD-3-Clause
// Times the analysis of a trace of 10^7 events on one core, by part, and its longest parts on two.
#include "analysis/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/statistics.hpp"
#include "halo_trace.hpp"

namespace {

constexpr std::uint64_t kEvents = 10'000'000;
constexpr int kSide = 16;
constexpr double kTarget_s = 20;
constexpr int kRounds = 5;

using namespace plait::analysis;

double seconds_of(const std::function<void(unsigned)>& work, unsigned threads) {
  const auto begin = std::chrono::steady_clock::now();
  work(threads);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The time with one thread over that with two, by turns.
void print_speedup(const std::string& part, const std::function<void(unsigned)>& work) {
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const double one = seconds_of(work, 1);
    ratios.push_back(one / seconds_of(work, 2));
  }
  const auto [low, high] = std::ranges::minmax(ratios);
  fmt::print("RESULT {}_speedup_2 {:.2f} ratio ({:.2f} to {:.2f})\n", part, plait::median(ratios),
             low, high);
}

void print_speedups(const plait::trace::Trace& trace) {
  const Lanes lanes = make_lanes(trace);
  const Waits waits = find_waits(trace, lanes);
  print_speedup("causes", [&](unsigned threads) {
    const Intervals intervals = find_intervals(trace, lanes, waits, threads);
    find_causes(trace, lanes, waits, intervals, threads);
  });
  print_speedup("replay", [&](unsigned threads) {
    std::string why;
    replay_ideally(trace, eager_limits(trace, nullptr, waits), why, threads);
  });
}

}  // namespace

int main() {
  const plait::trace::Trace trace = plait::bench::halo_trace(kEvents, kSide);
  AnalysisTimes parts;
  // CPU time, so that other processes do not count.
  const std::clock_t begin = std::clock();
  const Analysis analysis = analyze(trace, nullptr, {}, &parts, 1);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  fmt::print("{} events of {} ranks\n", analysis.events, trace.ranks.size());
  const auto row = [](const char* part, double part_s) {
    fmt::print("{:<17} {:>7.2f} s\n", part, part_s);
  };
  row("lanes", parts.lanes_s);
  row("wait states", parts.waits_s);
  row("causes", parts.causes_s);
  row("critical path", parts.critical_path_s);
  row("replay, imbalance", parts.replay_s);
  row("efficiencies", parts.efficiencies_s);
  row("phases", parts.phases_s);
  row("messages", parts.messages_s);
  row("patterns", parts.patterns_s);
  fmt::print("RESULT analysis_1e7_s {:.2f} s (at most {})\n", seconds, kTarget_s);
  if (plait::usable_cpus() >= 2) print_speedups(trace);
  return 0;
}
