// SPDX-License-Identifier: BSD-3-Clause
// Times the analysis of a trace of 10^7 events on one core, by part.
#include "analysis/analysis.hpp"

#include <fmt/format.h>

#include <ctime>

#include "halo_trace.hpp"

namespace {

constexpr std::uint64_t kEvents = 10'000'000;
constexpr int kSide = 16;
constexpr double kTarget_s = 20;

}  // namespace

int main() {
  const plait::trace::Trace trace = plait::bench::halo_trace(kEvents, kSide);
  plait::analysis::AnalysisTimes parts;
  // CPU time, so that other processes do not count.
  const std::clock_t begin = std::clock();
  const plait::analysis::Analysis analysis =
      plait::analysis::analyze(trace, nullptr, {}, &parts, 1);
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
  return 0;
}
