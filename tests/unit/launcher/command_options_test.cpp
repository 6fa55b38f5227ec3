// SPDX-License-Identifier: BSD-3-Clause
// Environment variables reach all ranks, and are found in command lines.
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

/// A is the variable's value in each part of a command.
std::vector<std::string> values_in(LauncherKind kind, const std::string& line) {
  const auto argv = arguments(line);
  const LaunchCommand command = parse_command({kind, "", "", ""}, argv, behind_wrappers(argv, 0));
  std::vector<std::string> values;
  for (std::size_t part = 0; part < command.applications.size(); ++part) {
    values.push_back(variable_in_part(command, part, "A"));
  }
  return values;
}

TEST(VariableInPart, IsThatOfThePartElseThatOfAllParts) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(values_in(LauncherKind::none, "env A=2 ./app A=3"), Values{"2"});
  EXPECT_EQ(values_in(LauncherKind::openmpi4, "env A=2 mpirun -n 1 ./x : -n 1 -x A=3 ./y A=4"),
            (Values{"2", "3"}));
  EXPECT_EQ(values_in(LauncherKind::mpich, "mpiexec -genv A 2 -n 1 env A=3 ./x : -n 1 ./y"),
            (Values{"3", "2"}));
  // Seen with Open MPI 4.1 and 5.0, MPICH 4.0 and Intel MPI 2021.
  const std::string hydra = "mpiexec -n 1 -env A 2 ./x : -n 1 -env A 3 ./y : -n 1 ./z";
  const std::string open = "mpiexec -n 1 -x A=2 ./x : -n 1 -x A=3 ./y : -n 1 ./z";
  EXPECT_EQ(values_in(LauncherKind::openmpi4, open), (Values{"2", "3", ""}));
  EXPECT_EQ(values_in(LauncherKind::openmpi5, open), (Values{"2", "3", "2"}));
  EXPECT_EQ(values_in(LauncherKind::mpich, hydra), (Values{"2", "3", ""}));
  EXPECT_EQ(values_in(LauncherKind::intel, hydra), (Values{"2", "3", "2"}));
}

}  // namespace
}  // namespace plait::launcher
