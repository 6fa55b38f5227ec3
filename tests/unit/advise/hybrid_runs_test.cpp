// SPDX-License-Identifier: BSD-3-Clause
// The commands that measure HPL in three models.
#include "advise/hybrid_runs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plait::advise {
namespace {

std::string command(const std::string& schedule) {
  report::HybridRow row;
  row.size = 4000;
  row.of = model::hpl_case({4000, 80}, 2, 2);
  std::string text;
  for (const std::string& word : lu_command({}, "lu", row, schedule, "r.json")) text += word + " ";
  return text;
}

TEST(HybridRuns, PutOneProcessOnEachCoreOrNode) {
  EXPECT_EQ(command("mpi"),
            "mpiexec -n 4 lu --size 4000 --block 80 --grid 2x2 --schedule mpi --threads 1 "
            "--look-ahead 0 --json r.json ");
  EXPECT_EQ(command("pc"),
            "mpiexec -n 2 lu --size 4000 --block 80 --grid 1x2 --schedule pc --threads 2 "
            "--look-ahead 0 --json r.json ");
  EXPECT_NE(command("tc").find("--schedule tc --threads 2 --look-ahead 1"), std::string::npos);
}

}  // namespace
}  // namespace plait::advise
