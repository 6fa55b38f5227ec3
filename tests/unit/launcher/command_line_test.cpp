// SPDX-License-Identifier: BSD-3-Clause
// Command lines of all launchers are parsed: ranks, programs, wrappers.
#include <gtest/gtest.h>

#include <sstream>

#include "launcher/launcher.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

std::vector<std::string> arguments(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

LaunchCommand parse(LauncherKind kind, const std::string& line) {
  Launcher launcher;
  launcher.kind = kind;
  launcher.name = arguments(line).front();
  return parse_command(launcher, arguments(line));
}

struct Case {
  LauncherKind kind;
  const char* line;
  const char* program;
  int ranks;  ///< 0: not given
};

class CommandLine : public testing::TestWithParam<Case> {};

TEST_P(CommandLine, FindsProgramAndRanks) {
  const LaunchCommand command = parse(GetParam().kind, GetParam().line);
  ASSERT_EQ(command.applications.size(), 1U);
  const Application& application = command.applications.front();
  EXPECT_EQ(application.argv.front(), GetParam().program);
  EXPECT_EQ(command.argv[application.index], GetParam().program);
  EXPECT_EQ(command.ranks.value_or(0), GetParam().ranks);
}

INSTANTIATE_TEST_SUITE_P(
    AllLaunchers, CommandLine,
    testing::Values(
        Case{LauncherKind::openmpi4, "mpirun -np 4 ./app -n 9", "./app", 4},
        Case{LauncherKind::openmpi4, "mpiexec --oversubscribe -n 2 ./app", "./app", 2},
        Case{LauncherKind::openmpi4, "mpirun --mca btl self,vader -x A=b -c 3 app", "app", 3},
        Case{LauncherKind::openmpi4, "mpirun -H a:2,b:2 --map-by slot:PE=2 --bind-to core app",
             "app", 0},
        Case{LauncherKind::openmpi4, "mpirun --report-bindings -rf ranks.txt -np 2 ./app", "./app",
             2},
        Case{LauncherKind::openmpi4, "mpirun -npernode 2 --tag-output ./app", "./app", 0},
        Case{LauncherKind::openmpi5, "mpirun --prtemca a b --pmixmca c d -np 2 app", "app", 2},
        Case{LauncherKind::openmpi5, "mpirun --display map,bind --output tag -n 2 app", "app", 2},
        Case{LauncherKind::openmpi5, "mpirun --map-by=core --np 8 app", "app", 8},
        Case{LauncherKind::mpich, "mpiexec -n 4 -bind-to core:2 ./app", "./app", 4},
        Case{LauncherKind::mpich, "mpiexec -genv A b -genvnone -hosts a,b -ppn 2 -np 4 ./app x",
             "./app", 4},
        Case{LauncherKind::mpich, "mpiexec -f hosts -prepend-rank -l -n 2 ./app", "./app", 2},
        Case{LauncherKind::intel, "mpirun -genv I_MPI_PIN_DOMAIN omp -perhost 2 -n 8 ./app",
             "./app", 8},
        Case{LauncherKind::intel, "mpiexec.hydra -machinefile m -print-rank-map -n 2 ./app",
             "./app", 2},
        Case{LauncherKind::slurm, "srun -n 4 ./app", "./app", 4},
        Case{LauncherKind::slurm, "srun -n4 -N 2 -l --exclusive ./app", "./app", 4},
        Case{LauncherKind::slurm, "srun --ntasks=16 --cpus-per-task 4 --mpi=pmix ./app -n 3",
             "./app", 16},
        Case{LauncherKind::slurm, "srun --ntasks 2 --cpu-bind=cores -p debug -t 10 ./app", "./app",
             2},
        Case{LauncherKind::none, "./app -n 4", "./app", 0},
        Case{LauncherKind::openmpi4, "mpirun -n 2 env A=b C=/d ./app", "./app", 2},
        Case{LauncherKind::openmpi4, "mpirun -n 2 numactl -m 0 --cpunodebind=0 ./app", "./app", 2},
        Case{LauncherKind::mpich, "mpiexec -n 2 nice -n 5 taskset -c 0,1 ./app", "./app", 2},
        Case{LauncherKind::mpich, "mpiexec -n 2 timeout -k 5 60 ./app", "./app", 2},
        Case{LauncherKind::openmpi4, "mpirun -n 2 python3 solve.py -n 7", "python3", 2},
        Case{LauncherKind::openmpi4, "mpirun -n 2 sh -c ./app", "sh", 2}));

TEST(CommandLineParts, ProgramsSeparatedByColons) {
  const LaunchCommand command =
      parse(LauncherKind::openmpi4, "mpirun -n 1 ./a x : -n 3 -wdir d env A=b ./b");
  ASSERT_EQ(command.applications.size(), 2U);
  EXPECT_EQ(command.ranks, 4);
  EXPECT_EQ(command.applications[0].argv, arguments("./a x"));
  EXPECT_EQ(command.applications[1].argv, arguments("./b"));
  EXPECT_EQ(command.applications[1].wrapper, arguments("env A=b"));
  EXPECT_EQ(command.applications[1].folder, "d");
}

TEST(CommandLineParts, WrappersMayStandBeforeTheLauncher) {
  EXPECT_EQ(behind_wrappers(arguments("env OMP_NUM_THREADS=2 timeout 60 mpiexec -n 2 ./app"), 0),
            4U);
  const LaunchCommand command = parse_command({LauncherKind::mpich, "", "mpiexec", ""},
                                              arguments("timeout 60 mpiexec -n 2 ./app"), 2);
  EXPECT_EQ(command.applications.front().argv.front(), "./app");
  EXPECT_EQ(command.ranks, 2);
}

TEST(CommandLineParts, NoProgramIsAnError) {
  EXPECT_THROW(parse(LauncherKind::openmpi4, "mpirun -n 2"), Error);
  EXPECT_THROW(parse(LauncherKind::mpich, "mpiexec -n"), Error);
  EXPECT_THROW(parse_command({}, {}), Error);
}

}  // namespace
}  // namespace plait::launcher
