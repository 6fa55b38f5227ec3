// SPDX-License-Identifier: BSD-3-Clause
// Two machine files: the figures that differ by more than their intervals, as text and JSON.
#include "report/compare_machines.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.hpp"
#include "plait/error.hpp"

namespace plait::report {
namespace {

machine::Statistic figure(double median) {
  return {median * 0.95, median, median * 0.95, median * 1.05, 9, {}};
}

machine::MachineFile machine_of(double triad, double latency) {
  machine::MachineFile file;
  file.host = "n0";
  file.cpu_model = "EPYC";
  file.measured.emplace();
  file.measured->stream = {{"triad", false, 2, 1 << 27, figure(triad)}};
  file.measured->jacobi = {{2, {96, 96, 96}, false, figure(2000)}};
  machine::Path path;
  path.id = "l3";
  path.name = "shared L3";
  path.bare_line_us = figure(0.06);
  path.mpi_pingpong = {{0, figure(latency), 0}};
  file.measured->paths = {path};
  return file;
}

TEST(CompareMachines, figures_within_their_intervals_do_not_differ) {
  const MachineComparison same =
      compare_machines("a.json", machine_of(40, 0.4), "b.json", machine_of(41, 0.39));
  EXPECT_EQ(machines_verdict(same), "None of 4 figures differs by more than its interval.");
  EXPECT_TRUE(same.differences.empty());
}

TEST(CompareMachines, faster_and_slower_figures_are_counted_and_the_largest_is_named) {
  machine::MachineFile b = machine_of(80, 1.6);
  b.cpu_model = "Xeon";
  b.measured->paths[0].bare_line_us->unusable = "too slow";
  b.measured->waited_for_cpu = 0.5;
  const MachineComparison comparison = compare_machines("a.json", machine_of(40, 0.4), "b.json", b);
  EXPECT_EQ(machines_verdict(comparison),
            "2 of 3 figures differ by more than their intervals: B is faster in 1 and slower in 1. "
            "Most: shared L3: ping-pong of 0 B, B is 4.00 times slower.");
  EXPECT_EQ(comparison.only_a, 1) << "unusable in the other file";
  EXPECT_EQ(comparison.differences, std::vector<std::string>{"processor: EPYC, and Xeon"});
  EXPECT_EQ(comparison.notes.size(), 2U);
  const std::vector<std::string> lines = machines_lines(comparison);
  const auto has = [&](const std::string& text) {
    return std::ranges::any_of(
        lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has("STREAM triad, ordinary stores, 2 threads"));
  EXPECT_TRUE(has("messages (shared L3)"));
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80U) << line;
  const nlohmann::json json = machines_to_json(comparison);
  EXPECT_EQ(json["changes"].size(), 3U);
  EXPECT_DOUBLE_EQ(json["changes"][2]["speed"], 0.25);
  EXPECT_EQ(json["changes"][2]["differs"], true);
}

TEST(CompareMachines, files_without_common_figures_are_refused) {
  machine::MachineFile bare = machine_of(1, 1);
  bare.measured.reset();
  EXPECT_THROW(compare_machines("a", bare, "b", machine_of(1, 1)), Error);
  machine::MachineFile empty = machine_of(1, 1);
  empty.measured.emplace();
  EXPECT_THROW(compare_machines("a", machine_of(1, 1), "b", empty), Error);
}

}  // namespace
}  // namespace plait::report
