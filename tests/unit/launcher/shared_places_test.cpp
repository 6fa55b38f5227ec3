// SPDX-License-Identifier: BSD-3-Clause
// Ranks that share cores: what each launcher needs for them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>

#include "launcher/plan.hpp"
#include "launcher/plan_options.hpp"
#include "launcher/plan_placement.hpp"
#include "machine/discover.hpp"
#include "placement/placement.hpp"

namespace plait::launcher {
namespace {

Plan plan_for(const std::string& machine, const std::string& request) {
  const machine::Topology node = machine::discover_synthetic(machine).topology;
  const placement::Intent intent = placement::parse_intent(request);
  return launcher::plan_of(placement::place_ranks(intent, node, request), intent, node, {""});
}

PlannedCommand command(const Plan& plan, LauncherKind kind) {
  return command_of(plan, {kind, "", "mpiexec", ""}, {"./app"}, "plan");
}

std::string text(const PlannedCommand& command) {
  return fmt::format("{}", fmt::join(command.argv, " "));
}

constexpr const char* kYield = "OMPI_MCA_mpi_yield_when_idle";

TEST(SharedPlaces, EveryLauncherBindsTwoRanksToACore) {
  const Plan plan = plan_for("core:2 pu:1", "4 ranks, 2 per core");
  const PlannedCommand four = command(plan, LauncherKind::openmpi4);
  EXPECT_EQ(text(four),
            "mpiexec -x OMPI_MCA_mpi_yield_when_idle -x OMP_NUM_THREADS -n 4 --rankfile "
            "plan/rankfile --oversubscribe --bind-to "
            "cpu-list:overload-allowed ./app");
  EXPECT_EQ(four.files.at("rankfile"),
            "rank 0=localhost slot=0\nrank 1=localhost slot=0\n"
            "rank 2=localhost slot=1\nrank 3=localhost slot=1\n");
  EXPECT_EQ(four.environment.at(kYield), "1");
  const PlannedCommand five = command(plan, LauncherKind::openmpi5);
  EXPECT_EQ(text(five),
            "mpiexec -n 4 --map-by rankfile:file=plan/rankfile:oversubscribe --bind-to "
            "core:overload-allowed ./app");
  EXPECT_EQ(five.environment.at(kYield), "1");
  const PlannedCommand mpich = command(plan, LauncherKind::mpich);
  EXPECT_EQ(text(mpich), "mpiexec -n 4 -bind-to user:0,0,1,1 ./app");
  ASSERT_EQ(mpich.notes.size(), 1U);
  EXPECT_NE(mpich.notes[0].find("do not yield"), std::string::npos);
  // Intel MPI reads its lists otherwise, so the ranks bind themselves.
  const PlannedCommand intel = command(plan, LauncherKind::intel);
  EXPECT_EQ(text(intel).find("PIN_PROCESSOR_LIST"), std::string::npos) << text(intel);
  EXPECT_EQ(intel.files.at("places"), "0 0\n1 0\n2 1\n3 1\n");
  const PlannedCommand slurm = command(plan, LauncherKind::slurm);
  EXPECT_EQ(text(slurm),
            "mpiexec -n 4 --nodes=1 --overcommit --cpu-bind=mask_cpu:0x1,0x1,0x2,0x2 ./app");
  EXPECT_EQ(slurm.environment.at(kYield), "1");
  EXPECT_NE(slurm_script(plan, {"./app"}).find("#SBATCH --overcommit\n"), std::string::npos);
}

TEST(SharedPlaces, RanksThatFitNeedNotYield) {
  const Plan plan = plan_for("l2:2 core:2 pu:1", "4 ranks, 2 per L2, shared");
  EXPECT_TRUE(ranks_overlap(plan));
  EXPECT_FALSE(crowded(plan));
  EXPECT_EQ(command(plan, LauncherKind::openmpi4).environment.count(kYield), 0U);
  EXPECT_EQ(text(command(plan, LauncherKind::mpich)),
            "mpiexec -n 4 -bind-to user:0+1,0+1,2+3,2+3 ./app");
  EXPECT_TRUE(command(plan, LauncherKind::mpich).notes.empty());
  const Plan own = plan_for("l2:2 core:2 pu:1", "4 ranks, 2 per L2");
  EXPECT_EQ(slurm_script(own, {"./app"}).find("overcommit"), std::string::npos);
}

TEST(SharedPlaces, OpenMpDoesNotBindThreadsOfRanksThatShareCores) {
  const Plan plan = plan_for("l2:2 core:2 pu:1", "4 ranks x 2 threads, 2 per L2, shared");
  EXPECT_EQ(plan.environment.at("OMP_PROC_BIND"), "false");
  EXPECT_TRUE(crowded(plan));
  const Plan own = plan_for("l2:2 core:2 pu:1", "2 ranks x 2 threads, 1 per L2");
  EXPECT_EQ(own.environment.at("OMP_PROC_BIND"), "close");
}

}  // namespace
}  // namespace plait::launcher
