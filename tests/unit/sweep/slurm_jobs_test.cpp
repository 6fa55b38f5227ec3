// SPDX-License-Identifier: BSD-3-Clause
// Job arrays of a sweep: one for each number of cores, a task for each run.
#include "sweep/slurm_jobs.hpp"

#include <gtest/gtest.h>

#include "made_up_sweep.hpp"

namespace plait::sweep {
namespace {

TEST(SlurmJobs, HaveAnArrayForEachShapeAndATaskForEachRun) {
  Sweep sweep = made_up_sweep({"size=10,20", "ranks=2,4", "threads=3"});
  sweep.limits.repeat = 2;
  sweep.limits.time_limit_s = 90;
  sweep.points[3].point.left_out = "for a reason";
  const std::vector<JobScript> scripts = slurm_jobs(sweep, "/all nodes/sweep", "/home/user");
  ASSERT_EQ(scripts.size(), 2U);
  EXPECT_EQ(scripts[0].name, "ranks2-threads3.sbatch");
  const std::string& text = scripts[0].text;
  for (const char* part :
       {"#!/bin/bash\n", "#SBATCH --array=0-3\n", "#SBATCH --ntasks=2\n",
        "#SBATCH --cpus-per-task=3\n", "#SBATCH --time=3\n", "cd /home/user || exit 1\n",
        "0) exec plait run --quiet --no-report --output "
        "'/all nodes/sweep/runs/1-size10-ranks2-threads3/1' --time-limit 90 -- env "
        "OMP_NUM_THREADS=3 mpiexec -n 2 app 10 ;;\n",
        "1) exec plait run --quiet --no-report --output "
        "'/all nodes/sweep/runs/3-size20-ranks2-threads3/1'",
        "runs/3-size20-ranks2-threads3/2' ", "esac\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_NE(scripts[1].text.find("#SBATCH --array=0-1\n"), std::string::npos);
}

}  // namespace
}  // namespace plait::sweep
