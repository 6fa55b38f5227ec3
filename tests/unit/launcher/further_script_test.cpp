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
            "mpirun -np 4 omplace -nt 2 -c 0-7 ./a.out\n");
  EXPECT_NE(script(nodes, "omplace").find("mpirun a,b -np 2 omplace -nt 2 -c 0-3 ./a.out"),
            std::string::npos);
  const std::string numactl = script(here, "numactl");
  for (const char* line :
       {"0) exec numactl --physcpubind=0,1 ", "1) exec numactl --physcpubind=2,3 ",
        "2) exec numactl --physcpubind=4,5 ", "3) exec numactl --physcpubind=6,7 ",
        "mpirun -np 4 bash \"$0\" bound ./a.out\n"}) {
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

}  // namespace
}  // namespace plait::launcher
