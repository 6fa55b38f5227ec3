// SPDX-License-Identifier: BSD-3-Clause
// The plan of the MPI part, and launchers that fail, hang or produce nothing.
#include "measure/mpi_part.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "machine/discover.hpp"

namespace plait::measure {
namespace {

namespace fs = std::filesystem;

TEST(MpiPlan, has_steps_for_each_pair_and_ranks_for_each_core) {
  const machine::Topology topology =
      machine::discover_synthetic("pack:2 l2:2 core:2 pu:1").topology;
  MpiRequest request;
  request.seconds = 12;
  request.off_cache = true;
  request.off_cache_bytes = 1 << 24;
  const auto jobs = plan_paths(topology, 2, 4);
  const MpiPlan plan = plan_mpi(topology, jobs, request, {"libmpi.so.40"});
  ASSERT_EQ(plan.origins.size(), plan.probe.steps.size());
  EXPECT_EQ(plan.probe.pus, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  // Three kinds of paths, each with three steps for each of two pairs, two steps for the cost of a
  // message, and two steps for each of 1, 2 and 4 pairs at once.
  EXPECT_EQ(plan.probe.steps.size(), 3U * (2 * 3 + 2 + 2 * 3));
  double seconds = 0;
  for (const ProbeStep& step : plan.probe.steps) seconds += step.seconds;
  EXPECT_NEAR(seconds, 12, 1e-9);
  EXPECT_EQ(plan.probe.steps.front().kind, StepKind::pingpong)
      << "the most important step comes first";
  EXPECT_EQ(plan.probe.steps.back().kind, StepKind::multi_pair_pingping);
  EXPECT_EQ(plan.origins.back().pairs_at_once, 4);
  EXPECT_EQ(parse_plan(format_plan(plan.probe)).steps.size(), plan.probe.steps.size());
}

TEST(MpiPlan, starts_no_rank_on_a_core_that_no_pair_uses) {
  const machine::Topology topology =
      restricted(machine::discover_synthetic("pack:2 core:4 pu:2").topology, {2, 5});
  const MpiPlan plan = plan_mpi(topology, plan_paths(topology, 1, 1), {}, {});
  EXPECT_EQ(plan.probe.pus, (std::vector<int>{4, 5, 10})) << "two threads of core 2, one of core 5";
  EXPECT_EQ(plan.probe.off_cache_bytes, 0U);
}

/// A "launcher" that is a shell script; its arguments are those of mpiexec.
class MpiRun : public testing::Test {
protected:
  MpiRun() {
    std::string name = (fs::temp_directory_path() / "plait-mpi-run-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~MpiRun() override { fs::remove_all(root_); }
  MpiOutcome run(const std::string& script, double limit_s = 30) {
    MpiChoice mpi;
    mpi.launcher.path = (root_ / "mpiexec").string();
    mpi.launcher.kind = launcher::LauncherKind::mpich;
    std::ofstream(mpi.launcher.path) << "#!/bin/sh\nfor output; do :; done\n" << script << "\n";
    fs::permissions(mpi.launcher.path, fs::perms::owner_all);
    ProbePlan plan;
    plan.pus = {0, 1};
    return run_mpi(mpi, plan, limit_s);
  }
  fs::path root_;
};

TEST_F(MpiRun, that_works_has_no_failure) {
  const MpiOutcome outcome =
      run("printf 'library X 1\\ncell 0 8 0 0 : 0.5\\nend\\n' > $output.0\nprintf 'end\\n' > "
          "$output.1");
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.output.cells.size(), 1U);
  EXPECT_EQ(outcome.output.library, "X 1");
}

TEST_F(MpiRun, that_fails_reports_the_error_of_the_launcher) {
  const MpiOutcome outcome =
      run("echo '-------' >&2; echo 'ORTE has no slots: Error 5' >&2; echo bye >&2; exit 3");
  EXPECT_EQ(outcome.failure, "the launcher failed with exit code 3: ORTE has no slots: Error 5");
}

TEST_F(MpiRun, that_hangs_is_killed_and_its_results_are_kept) {
  const MpiOutcome outcome =
      run("printf 'cell 0 8 0 0 : 0.5\\ncell 0 16 0 0 : 0.' > $output.0\nsleep 600", 0.5);
  EXPECT_NE(outcome.failure.find("did not end within"), std::string::npos) << outcome.failure;
  EXPECT_EQ(outcome.output.cells.size(), 1U);
}

TEST_F(MpiRun, whose_ranks_wrote_nothing_is_a_failure) {
  EXPECT_EQ(run("exit 0").failure, "2 of 2 ranks wrote no result");
}

TEST_F(MpiRun, whose_ranks_report_an_error_is_a_failure) {
  EXPECT_EQ(run("printf 'error wrong library\\n' > $output.0").failure, "wrong library");
}

}  // namespace
}  // namespace plait::measure
