// SPDX-License-Identifier: BSD-3-Clause
// Suggestions repeat the whole command line of the user.
#include "run/started_as.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace plait::run {
namespace {

TEST(StartedAs, KeepsTheOptionsButNotTheFolder) {
  const StartedAs started =
      started_as({"plait", "run", "--trace", "-o", "x", "--output=y", "-m", "here"},
                 {"mpiexec", "-n", "64", "./app", "a b"}, std::nullopt);
  EXPECT_EQ(started_text(started.around, started.command),
            "plait run --trace -m here -- mpiexec -n 64 ./app 'a b'");
}

TEST(StartedAs, KeepsTheClusterAroundIt) {
  ::setenv(kAroundVariable, R"(["plait","cluster","run","--nodes","2"])", 1);
  const StartedAs started =
      started_as({"plait", "run"}, {"mpiexec", "-n", "16", "./app"}, std::nullopt);
  ::unsetenv(kAroundVariable);
  EXPECT_EQ(started_text(started.around, started.command),
            "plait cluster run --nodes 2 -- plait run -- mpiexec -n 16 ./app");
  EXPECT_EQ(started_text(started.outer, started.plain),
            "plait cluster run --nodes 2 -- mpiexec -n 16 ./app");
}

TEST(StartedAs, KeepsTheRanksOfTheLauncherAroundIt) {
  launcher::JobRank job;
  job.launcher.kind = launcher::LauncherKind::slurm;
  job.rank = 3;
  job.size = 64;
  const StartedAs started = started_as({"plait", "run", "--trace", "-o", "x"}, {"./app"}, job);
  EXPECT_EQ(started_text(started.around, started.command), "srun -n 64 plait run --trace ./app");
  EXPECT_EQ(started_text(started.outer, started.plain), "srun -n 64 ./app");
}

TEST(StartedAs, ALaunchersLineLosesTheFolderAndPlait) {
  const std::vector<std::string> typed{"plait", "run", "-o", "x", "--trace"};
  const LauncherLine of = divide_launcher_line(
      {"mpiexec", "-n", "4", "/opt/bin/plait", "run", "-o", "x", "--trace", "--", "./app", "run"},
      typed);
  EXPECT_EQ(started_text({}, of.without_output),
            "mpiexec -n 4 /opt/bin/plait run --trace -- ./app run");
  EXPECT_EQ(started_text({}, of.without_plait), "mpiexec -n 4 ./app run");
}

TEST(StartedAs, ALaunchersLineWithoutPlaitStaysWhole) {
  const std::vector<std::string> line{"mpiexec", "script.sh"};
  const LauncherLine of = divide_launcher_line(line, {"plait", "run"});
  EXPECT_EQ(of.without_output, line);
  EXPECT_EQ(of.without_plait, line);
}

}  // namespace
}  // namespace plait::run
