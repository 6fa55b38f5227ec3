// SPDX-License-Identifier: BSD-3-Clause
// The commands that measure CG and HPL in three models.
#include "advise/hybrid_runs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plait::advise {
namespace {

std::string command(const HybridRuns& runs, const report::HybridRow& row,
                    const std::string& schedule) {
  std::string text;
  for (const std::string& word : solver_command(runs, "solver", row, schedule, "r.json")) {
    text += word + " ";
  }
  return text;
}

TEST(HybridRuns, OfHplPutOneProcessOnEachCoreOrNode) {
  HybridRuns runs;
  runs.program = "hpl";
  report::HybridRow row;
  row.size = 4000;
  row.of = model::hpl_case({4000, 80}, 2, 2);
  EXPECT_EQ(command(runs, row, "mpi"),
            "mpiexec -n 4 solver --size 4000 --block 80 --grid 2x2 --look-ahead 0 --schedule mpi "
            "--threads 1 --json r.json ");
  EXPECT_EQ(command(runs, row, "pc"),
            "mpiexec -n 2 solver --size 4000 --block 80 --grid 1x2 --look-ahead 0 --schedule pc "
            "--threads 2 --json r.json ");
  EXPECT_NE(command(runs, row, "tc").find("--look-ahead 1 --schedule tc --threads 2"),
            std::string::npos);
}

TEST(HybridRuns, OfCgAreThoseOfAClass) {
  HybridRuns runs;
  runs.program = "cg";
  runs.cg_class = "W";
  report::HybridRow row;
  row.of = model::cg_case(model::cg_class("W"), 2, 4);
  EXPECT_EQ(command(runs, row, "mpi"),
            "mpiexec -n 8 solver --class W --schedule mpi --threads 1 --json r.json ");
  EXPECT_EQ(command(runs, row, "tc"),
            "mpiexec -n 2 solver --class W --schedule tc --threads 4 --json r.json ");
}

/// A row of 2 nodes whose PC takes 10 s, 4 s of them in messages.
report::HybridRow measured_row(int cores) {
  report::HybridRow row;
  row.part = "nodes";
  row.size = 1400;
  row.of = model::cg_case(model::cg_class("S"), 2, cores);
  row.time.mpi.total = row.time.pc.total = row.time.tc.total = {1, 1, 1};
  row.speed_beside = (cores - 1.0) / cores;
  row.paper.emplace().pc_s = 359;
  row.paper->tc_s = 258;
  row.measured = report::MeasuredHybrid{9, 10, 8, 4};
  return row;
}

TEST(HybridRuns, AreShownBesideEquation7AndThePaper) {
  EXPECT_DOUBLE_EQ(report::equation_7(measured_row(2)).low_s, 2);
  EXPECT_DOUBLE_EQ(report::equation_7(measured_row(2)).high_s, 2);
  EXPECT_DOUBLE_EQ(report::equation_7(measured_row(1)).low_s, 0);
  EXPECT_DOUBLE_EQ(report::equation_7(measured_row(1)).high_s, 4);
  report::HybridRow mostly_messages = measured_row(2);
  mostly_messages.measured->pc_messages_s = 9;
  EXPECT_DOUBLE_EQ(report::equation_7(mostly_messages).high_s, 1);

  report::HybridReport report{"cg", "class S",  "here", model::SpeedTable::linear(1e9, 2),
                              "",   "figure 4", false,  {},
                              "",   {},         ""};
  report.measured_on = "2 emulated nodes";
  report.rows = {measured_row(2), measured_row(1)};
  std::string text;
  for (const std::string& line : report::hybrid_lines(report)) {
    EXPECT_LE(line.size(), 80u) << line;
    text += line + "\n";
  }
  EXPECT_NE(text.find("equation 7 with the measured times"), std::string::npos) << text;
  const nlohmann::json measured = report::hybrid_to_json(report)["cases"][1]["measured"];
  EXPECT_EQ(measured["equation_7_s"]["high"], 4) << text;
  // Ratios: the model's, the measured one, the paper's.
  const std::size_t ratios = text.find("PC/TC");
  ASSERT_NE(ratios, std::string::npos) << text;
  EXPECT_NE(text.find("1.00  1.25   1.39", ratios), std::string::npos) << text;
}

}  // namespace
}  // namespace plait::advise
