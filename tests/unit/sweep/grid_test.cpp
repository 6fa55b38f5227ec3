// SPDX-License-Identifier: BSD-3-Clause
// The points of a grid: combinations, placeholders, derived values, and what is refused.
#include "sweep/grid.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"
#include "sweep/expression.hpp"

namespace plait::sweep {
namespace {

using Texts = std::vector<std::string>;

Grid grid_of(const Texts& over, const Texts& command) {
  Grid grid;
  for (const std::string& text : over) grid.over.push_back(parse_parameter(text));
  grid.command = command;
  return grid;
}

std::string problem_of(const Grid& grid) {
  try {
    points_of(grid);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

double value_at(const std::string& text, double ranks) {
  return Expression("--let", text).at([&](const std::string&) { return ranks; });
}

TEST(Expression, IsAProductOfPowers) {
  EXPECT_DOUBLE_EQ(value_at("ranks^1/3", 8), 2);
  EXPECT_DOUBLE_EQ(value_at("8/ranks", 4), 2);
  EXPECT_DOUBLE_EQ(value_at("100*ranks^0.5", 4), 200);
  EXPECT_DOUBLE_EQ(value_at("2*ranks^2/ranks", 3), 6);
  for (const char* text : {"", "8/", "ranks^", "ranks+1", "1.2.3", "ranks^1/0"}) {
    EXPECT_THROW(value_at(text, 2), Error) << text;
  }
  EXPECT_THROW(value_at("1/ranks", 0), Error) << "not finite";
}

TEST(Grid, HasAllCombinationsTheLastParameterFastest) {
  const auto points = points_of(
      grid_of({"ranks=1,2", "size=10,20"}, {"mpiexec", "-n", "{ranks}", "app", "--n={size}"}));
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].name, "ranks=1 size=20");
  EXPECT_EQ(points[2].command, (Texts{"mpiexec", "-n", "2", "app", "--n=10"}));
  EXPECT_EQ(points[3].ranks, 2);
  EXPECT_EQ(value_of(points[3], "size"), "20");
}

TEST(Grid, ThreadsSetTheVariableUnlessTheCommandDoes) {
  const auto set = points_of(grid_of({"threads=3"}, {"app"}));
  EXPECT_EQ(set[0].command, (Texts{"env", "OMP_NUM_THREADS=3", "app"}));
  EXPECT_EQ(set[0].cores(), 3);
  const auto own = points_of(grid_of({"threads=3"}, {"env", "OMP_NUM_THREADS={threads}", "app"}));
  EXPECT_EQ(own[0].command, (Texts{"env", "OMP_NUM_THREADS=3", "app"}));
}

TEST(Grid, AnArgumentThatIsOnePlaceholderMayBeSeveralOptionsOrNone) {
  const auto points = points_of(
      grid_of({"bind=;--bind-to core"}, {"mpiexec", "{bind}", "-n", "2", "app", "x{bind}"}));
  EXPECT_EQ(points[0].command, (Texts{"mpiexec", "-n", "2", "app", "x"}));
  EXPECT_EQ(points[1].command,
            (Texts{"mpiexec", "--bind-to", "core", "-n", "2", "app", "x--bind-to core"}));
  EXPECT_EQ(points[1].options, Texts{"--bind-to core"});
}

TEST(Grid, VariablesThatDifferAreSettings) {
  Grid grid = grid_of({"btl=self,tcp;self,vader", "size=1;2"}, {"app", "{size}"});
  grid.set = {"OMPI_MCA_btl={btl}", "SIZE={size}", "FIXED=1"};
  const auto points = points_of(grid);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[0].settings, Texts{"OMPI_MCA_btl=self,tcp"});
  EXPECT_EQ(points[0].command,
            (Texts{"env", "OMPI_MCA_btl=self,tcp", "SIZE=1", "FIXED=1", "app", "1"}));
}

TEST(Grid, BracesOfShellsAndOfTheProgramStay) {
  const auto points =
      points_of(grid_of({"n=1"}, {"sh", "-c", "echo ${HOME} {{n}} {n} {\"a\": {}}"}));
  EXPECT_EQ(points[0].command[2], "echo ${HOME} {n} 1 {\"a\": {}}");
}

TEST(Grid, ThreadsFollowFromRanksOnAFixedNumberOfCores) {
  Grid grid = grid_of({"ranks=1,2,3,4"}, {"mpiexec", "-n", "{ranks}", "app"});
  grid.derived.push_back(parse_derived("threads=4/ranks", false));
  const auto points = points_of(grid);
  EXPECT_EQ(points[1].name, "ranks=2 threads=2");
  EXPECT_EQ(points[2].left_out, "threads=4/ranks is 1.333, not a whole number from 1 on");
  EXPECT_EQ(points[3].cores(), 4);
}

TEST(Grid, AWeakParameterGrowsFromItsValueForOneCore) {
  Grid grid = grid_of({"ranks=1,2,8", "size=100"}, {"app", "{size}"});
  grid.derived.push_back(parse_derived("size=ranks^1/3", true));
  const auto points = points_of(grid);
  EXPECT_EQ(points[1].command, (Texts{"app", "126"}));
  EXPECT_EQ(points[2].command, (Texts{"app", "200"}));
  EXPECT_TRUE(is_weak(grid));
}

TEST(Grid, PointsThatNeedMoreCoresAreLeftOut) {
  Grid grid = grid_of({"ranks=1,2,4", "threads=1,2"}, {"mpiexec", "-n", "{ranks}", "app"});
  grid.most_cores = 4;
  const auto points = points_of(grid);
  EXPECT_EQ(points[5].left_out, "needs 8 cores, and --cores is 4");
  EXPECT_TRUE(points[4].left_out.empty());
}

TEST(Grid, RefusesWhatHasNoValueAndWhatIsNotUsed) {
  EXPECT_NE(problem_of(grid_of({"n=1"}, {"app", "{n}", "{m}"})).find("{m}: placeholder without"),
            std::string::npos);
  EXPECT_NE(problem_of(grid_of({"n=1", "m=2"}, {"app", "{n}"})).find("--over m: not used"),
            std::string::npos);
  EXPECT_NE(problem_of(grid_of({"n=1", "n=2"}, {"app", "{n}"})).find("more than once"),
            std::string::npos);
  EXPECT_NE(problem_of(grid_of({"ranks=two"}, {"app", "{ranks}"})).find("\"two\" is not a number"),
            std::string::npos);
  Grid weak = grid_of({"ranks=1,2"}, {"app", "{ranks}", "{size}"});
  weak.derived.push_back(parse_derived("size=ranks", true));
  EXPECT_NE(problem_of(weak).find("no value for one core"), std::string::npos);
  for (const char* text : {"ranks", "=1", "ranks=", "ranks=1,1", "a b=1"}) {
    EXPECT_THROW(parse_parameter(text), Error) << text;
  }
}

}  // namespace
}  // namespace plait::sweep
