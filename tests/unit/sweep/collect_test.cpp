// SPDX-License-Identifier: BSD-3-Clause
// Runs that were made outside of a sweep: outcomes and figures from their run directories.
#include "sweep/collect.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/json_file.hpp"
#include "made_up_sweep.hpp"
#include "run/run_directory.hpp"
#include "sweep/observe.hpp"

namespace plait::sweep {
namespace {

namespace fs = std::filesystem;

class CollectTest : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ =
        fs::path(::testing::TempDir()) /
        (std::string("collect-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    sweep_ = made_up_sweep({"ranks=1,2"});
    sweep_.figure = {FigureKind::metric, "took ([0-9.]+)", "s", false};
    sweep_.limits.repeat = 2;
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Writes a run directory.
  void write(const std::string& name, const std::string& output, run::RunState state,
             int exit_code = 0) const {
    fs::create_directories(folder_ / name);
    run::RunFile file;
    file.command = {"app"};
    file.state = state;
    file.exit_code = exit_code;
    file.wall_s = 4;
    run::RunDirectory(folder_ / name).write(file);
    write_text_file(folder_ / name / "stdout.txt", output);
  }

  fs::path folder_;
  Sweep sweep_;
};

TEST_F(CollectTest, AddsRunsThatHaveEndedOnce) {
  write("runs/1-ranks1/1", "took 3", run::RunState::finished);
  write("runs/1-ranks1/2", "took 5", run::RunState::finished);
  write("runs/2-ranks2/1", "", run::RunState::running);
  EXPECT_EQ(collect_runs(sweep_, folder_), 2);
  EXPECT_EQ(values_of(sweep_.points[0]), (std::vector<double>{3, 5}));
  EXPECT_EQ(sweep_.spent_s, 8);
  EXPECT_EQ(sweep_.state, SweepState::running);
  EXPECT_EQ(collect_runs(sweep_, folder_), 0);
  write("runs/2-ranks2/1", "took 2", run::RunState::finished);
  write("runs/2-ranks2/2", "took 2", run::RunState::finished);
  EXPECT_EQ(collect_runs(sweep_, folder_), 2);
  EXPECT_EQ(sweep_.state, SweepState::finished);
}

TEST_F(CollectTest, AFailedRunEndsItsPoint) {
  write("runs/1-ranks1/1", "took 3", run::RunState::finished);
  write("runs/1-ranks1/2", "cannot open input", run::RunState::finished, 3);
  EXPECT_EQ(collect_runs(sweep_, folder_), 2);
  ASSERT_TRUE(sweep_.points[0].failure.has_value());
  EXPECT_EQ(sweep_.points[0].failure->folder, "runs/1-ranks1/2");
  EXPECT_EQ(sweep_.points[0].runs.size(), 1U) << "what was measured stays";
}

TEST_F(CollectTest, OutcomesFollowFromRunDirectories) {
  write("hung", "took 3", run::RunState::time_limit, 143);
  const Observed hung = observe(folder_ / "hung", sweep_.figure, 10);
  ASSERT_TRUE(hung.failure.has_value());
  EXPECT_EQ(hung.failure->problem.substr(0, 24), "hung, killed after 10 s:");
  write("silent", "no figure", run::RunState::finished);
  const Observed silent = observe(folder_ / "silent", sweep_.figure, {});
  ASSERT_TRUE(silent.failure.has_value());
  EXPECT_EQ(silent.failure->problem, "\"took ([0-9.]+)\" finds no number in its output");
  write("zero", "took 0", run::RunState::finished);
  EXPECT_TRUE(observe(folder_ / "zero", sweep_.figure, {}).failure.has_value());
  EXPECT_EQ(observe(folder_ / "silent", {FigureKind::wall, "", "s", false}, {}).run.value, 4);
  const Observed region = observe(folder_ / "silent", {FigureKind::region, "x", "s", false}, {});
  EXPECT_EQ(region.failure->problem, "the run has no region \"x\", nor any other");
}

}  // namespace
}  // namespace plait::sweep
