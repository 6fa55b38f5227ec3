// SPDX-License-Identifier: BSD-3-Clause
// Environment variables reach all ranks.
#include "launcher/command_options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "plait/error.hpp"

namespace plait::launcher {
namespace {

std::vector<std::string> arguments(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

std::vector<std::string> exporting(LauncherKind kind, const std::string& line) {
  Launcher launcher;
  launcher.kind = kind;
  return exporting_command(parse_command(launcher, arguments(line)), {{"A", "1"}, {"B", "2"}});
}

TEST(ExportingCommand, RanksOfThisNodeInheritSoTheCommandStays) {
  if (std::getenv("SLURM_JOB_ID") != nullptr) GTEST_SKIP() << "runs in a Slurm job";
  EXPECT_EQ(exporting(LauncherKind::openmpi4, "mpirun -n 2 ./app"), arguments("mpirun -n 2 ./app"));
  EXPECT_EQ(exporting(LauncherKind::mpich, "mpiexec -hosts a,b -n 2 ./app"),
            arguments("mpiexec -hosts a,b -n 2 ./app"));
  EXPECT_EQ(exporting(LauncherKind::slurm, "srun -n 2 ./app"), arguments("srun -n 2 ./app"));
}

TEST(ExportingCommand, OpenMpiExportsToOtherNodesInEachPart) {
  EXPECT_EQ(exporting(LauncherKind::openmpi4, "mpirun --host a,b -n 1 ./x : -n 1 ./y"),
            arguments("mpirun -x A -x B --host a,b -n 1 ./x : -x A -x B -n 1 ./y"));
}

TEST(ExportingCommand, HydraNeedsOptionsIfItsEnvironmentIsRestricted) {
  EXPECT_EQ(exporting(LauncherKind::mpich, "mpiexec -genvnone -n 1 ./x"),
            arguments("mpiexec -genv A 1 -genv B 2 -genvnone -n 1 ./x"));
}

TEST(ExportingCommand, SrunsExportListGrows) {
  EXPECT_EQ(exporting(LauncherKind::slurm, "srun --export=PATH -n 2 ./app"),
            arguments("srun --export=PATH,A,B -n 2 ./app"));
  EXPECT_THROW(exporting(LauncherKind::slurm, "srun --export=NONE -n 2 ./app"), Error);
}

}  // namespace
}  // namespace plait::launcher
