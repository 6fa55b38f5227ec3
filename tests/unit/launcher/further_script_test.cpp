// SPDX-License-Identifier: BSD-3-Clause
// The start lines of listing 3 of Jost and Robins (2010), with lists of cores.
#include "launcher/further_script.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"

namespace plait::launcher {
namespace {

/// Four ranks of two threads, two on each of these nodes.
Plan plan_on(const std::string& first, const std::string& second) {
  Plan plan;
  plan.ranks = 4;
  plan.threads = 2;
  for (const std::string& node : {first, second}) {
    const int begin = first == second && plan.places.size() == 2 ? 4 : 0;
    for (const int core : {begin, begin + 2}) {
      plan.places.push_back({node, machine::CpuSet::range(core, core + 1), {}});
    }
  }
  return plan;
}

std::string script(const Plan& plan, const std::string& launcher) {
  return further_script(plan, further_launcher(launcher).value(), {"./a.out"});
}

TEST(FurtherScript, HasTheLinesOfThePaper) {
  const Plan nodes = plan_on("a", "b"), here = plan_on("", "");
  EXPECT_EQ(script(nodes, "aprun"),
            "#!/bin/bash\nexport OMP_NUM_THREADS=2\n"
            "aprun -n 4 -N 2 -d 2 -cc 0,1:2,3 ./a.out\n");
  EXPECT_EQ(script(here, "omplace"),
            "#!/bin/bash\nexport OMP_NUM_THREADS=2\n"
            "mpirun -np 4 omplace -nt 2 -c 0,1,2,3,4,5,6,7 ./a.out\n");
  EXPECT_NE(script(nodes, "omplace").find("mpirun a,b -np 2 omplace -nt 2 -c 0,1,2,3 ./a.out"),
            std::string::npos);
  const std::string numactl = script(here, "numactl");
  for (const char* line :
       {"  0) cpus=0,1 ;;\n", "  1) cpus=2,3 ;;\n", "  2) cpus=4,5 ;;\n", "  3) cpus=6,7 ;;\n",
        "\nexec numactl --all --physcpubind=\"$cpus\" \"$@\"\n",
        "\nmpirun -np 4 bash \"$files/bind\" ./a.out\n"}) {
    EXPECT_NE(numactl.find(line), std::string::npos) << line << numactl;
  }
  EXPECT_FALSE(further_launcher("mpich"));
}

TEST(FurtherScript, RefusesUnequalNodesAndRanksWithoutPlaces) {
  Plan plan = plan_on("a", "b");
  plan.places[3].pus = machine::CpuSet::range(4, 5);
  EXPECT_THROW(script(plan, "aprun"), Error);
  EXPECT_THROW(script(plan, "omplace"), Error);
  EXPECT_NO_THROW(script(plan, "numactl"));
  for (RankPlaces& place : plan.places) place.pus = {};
  EXPECT_THROW(script(plan, "numactl"), Error);
}

TEST(FurtherScript, GivesOmplaceOneCorePerThreadInTheOrderOfRanks) {
  Plan plan = plan_on("", "");
  plan.places[0].pus = machine::CpuSet::of({8, 10, 11});
  EXPECT_NE(script(plan, "omplace").find(" -nt 2 -c 8,10,2,3,4,5,6,7 "), std::string::npos);
  plan.threads = 3;
  EXPECT_THROW(script(plan, "omplace"), Error) << "places of two cores";
  plan.threads = 0;
  EXPECT_THROW(script(plan, "omplace"), Error) << "no number of threads";
  plan.threads = 2;
  plan.places[1].pus = plan.places[0].pus;
  EXPECT_THROW(script(plan, "omplace"), Error) << "overlapping places";
}

TEST(FurtherScript, SetsVariablesAndWritesTheFilesThatTheyName) {
  Plan plan = plan_on("", "");
  plan.environment = {{"RULES", "{folder}/my rules"}, {"OMP_NUM_THREADS", "7"}};
  plan.files = {{"my rules", "0\n"}};
  const std::string text = script(plan, "aprun");
  const std::size_t written = text.find("cat > \"$files/my rules\"");
  const std::size_t set = text.find("export RULES=\"$files\"'/my rules'\n");
  EXPECT_TRUE(written < set && set != std::string::npos) << text;
  EXPECT_NE(text.find("export OMP_NUM_THREADS=2\n"), std::string::npos) << text;
  plan.environment = {{"a b", ""}};
  EXPECT_THROW(script(plan, "aprun"), Error);
}

}  // namespace
}  // namespace plait::launcher
