// SPDX-License-Identifier: BSD-3-Clause
// The settings that launchers get for a cluster, and settings of the user that stay.
#include "cluster/launcher_command.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace plait::cluster {
namespace {

using launcher::LauncherKind;

/// Four nodes of two cores each.
class OnCluster : public testing::Test {
protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    cluster_.folder =
        std::filesystem::path(testing::TempDir()) / "plait-launcher-command" / test->name();
    std::filesystem::create_directories(cluster_.folder);
    for (int i = 0; i < 4; ++i) {
      cluster_.nodes.push_back({"n" + std::to_string(i), "", 1, {2 * i, 2 * i + 1}, 2});
    }
    for (const char* name :
         {"OMPI_MCA_btl", "OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_orte_default_hostfile",
          "PRTE_MCA_prte_default_hostfile", "HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE"}) {
      ::unsetenv(name);
    }
  }
  void TearDown() override { std::filesystem::remove_all(cluster_.folder); }

  /// Prepares the command of a launcher of that kind.
  ClusterCommand prepare(LauncherKind kind, const std::vector<std::string>& command) {
    launcher::Launcher launcher;
    launcher.kind = kind;
    const ClusterCommand ready = on_cluster(cluster_, launcher::parse_command(launcher, command));
    const auto variables = ready.variables();
    set_ = {variables.begin(), variables.end()};
    return ready;
  }
  /// The contents of a host file.
  static std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  Cluster cluster_;
  std::map<std::string, std::string> set_;  ///< variables of the last command
};

TEST_F(OnCluster, RanksAreSharedOutInEvenBlocks) {
  prepare(LauncherKind::openmpi4, {"mpiexec", "-n", "6", "./app"});
  EXPECT_EQ(text_of(set_["OMPI_MCA_orte_default_hostfile"]),
            "n0 slots=2\nn1 slots=2\nn2 slots=1\nn3 slots=1\n");
  prepare(LauncherKind::openmpi5, {"mpiexec", "-n", "2", "./app"});
  EXPECT_EQ(text_of(set_["PRTE_MCA_prte_default_hostfile"]), "n0 slots=1\nn1 slots=1\n");
  prepare(LauncherKind::mpich, {"mpiexec", "-n", "5", "./app"});
  EXPECT_EQ(text_of(set_["HYDRA_HOST_FILE"]), "n0:2\nn1:1\nn2:1\nn3:1\n");
}

TEST_F(OnCluster, IntelsLauncherReadsAMachineFile) {
  const ClusterCommand ready = prepare(LauncherKind::intel, {"mpiexec", "-n", "8", "./app"});
  ASSERT_EQ(ready.argv.size(), 6u);
  EXPECT_EQ(ready.argv[1], "-machinefile");
  EXPECT_EQ(text_of(ready.argv[2]), "n0:2\nn1:2\nn2:2\nn3:2\n");
}

TEST_F(OnCluster, WithoutACountEachNodeTakesAsManyAsItsCores) {
  prepare(LauncherKind::openmpi4, {"mpiexec", "./app"});
  EXPECT_EQ(text_of(set_["OMPI_MCA_orte_default_hostfile"]),
            "n0 slots=2\nn1 slots=2\nn2 slots=2\nn3 slots=2\n");
}

TEST_F(OnCluster, HostsOfTheUserStay) {
  for (const char* option : {"--host", "-H", "--hostfile"}) {
    const std::vector<std::string> command{"mpiexec", option, "n2", "-n", "2", "./app"};
    EXPECT_EQ(prepare(LauncherKind::openmpi4, command).argv, command);
    EXPECT_EQ(set_.count("OMPI_MCA_orte_default_hostfile"), 0u) << option;
  }
  prepare(LauncherKind::intel, {"mpiexec", "-hosts", "n2", "-n", "2", "./app"});
  EXPECT_EQ(set_.count("I_MPI_HYDRA_HOST_FILE"), 0u);
}

TEST_F(OnCluster, AnOptionOfTheProgramIsNotOneOfTheLauncher) {
  prepare(LauncherKind::mpich, {"mpiexec", "-n", "4", "./app", "-hosts", "n2"});
  EXPECT_EQ(set_.count("HYDRA_HOST_FILE"), 1u);
}

TEST_F(OnCluster, VariablesOfTheUserStay) {
  ::setenv("OMPI_MCA_pml", "ucx", 1);
  prepare(LauncherKind::openmpi4, {"mpiexec", "-n", "2", "./app"});
  ::unsetenv("OMPI_MCA_pml");
  EXPECT_EQ(set_.count("OMPI_MCA_pml"), 0u);
  EXPECT_EQ(set_["OMPI_MCA_btl"], "tcp,vader,self");
}

TEST_F(OnCluster, RanksYieldOnlyWhereTheyShareCores) {
  prepare(LauncherKind::openmpi4, {"mpiexec", "-n", "8", "./app"});
  EXPECT_EQ(set_.count("OMPI_MCA_mpi_yield_when_idle"), 0u);
  prepare(LauncherKind::openmpi4, {"mpiexec", "-n", "9", "./app"});
  EXPECT_EQ(set_.count("OMPI_MCA_mpi_yield_when_idle"), 1u);
  cluster_.nodes[1].pus = cluster_.nodes[0].pus;
  prepare(LauncherKind::openmpi4, {"mpiexec", "-n", "4", "./app"});
  EXPECT_EQ(set_.count("OMPI_MCA_mpi_yield_when_idle"), 1u);
}

TEST_F(OnCluster, AScriptsLaunchersFindTheNodesWhicheverTheyAre) {
  const std::vector<std::string> command{"sh", "-c", "mpiexec ./app"};
  const ClusterCommand ready = on_cluster(cluster_, command);
  EXPECT_EQ(ready.argv, command);
  const auto variables = ready.variables();
  set_ = {variables.begin(), variables.end()};
  EXPECT_EQ(text_of(set_["PRTE_MCA_prte_default_hostfile"]),
            "n0 slots=2\nn1 slots=2\nn2 slots=2\nn3 slots=2\n");
  EXPECT_EQ(text_of(set_["HYDRA_HOST_FILE"]), "n0:2\nn1:2\nn2:2\nn3:2\n");
}

}  // namespace
}  // namespace plait::cluster
