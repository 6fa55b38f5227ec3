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

}  // namespace
}  // namespace plait::advise
