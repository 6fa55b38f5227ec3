// SPDX-License-Identifier: BSD-3-Clause
// What the tools of MPI libraries print, and which settings are legal by it.
#include "tune/registry.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace plait::tune {
namespace {

using launcher::Launcher;
using launcher::LauncherKind;

constexpr const char* kOmpiInfo =
    "mca:btl:vader:param:btl_vader_eager_limit:value:4096\n"
    "mca:btl:vader:param:btl_vader_eager_limit:help:Maximum size: header included\n"
    "mca:btl:vader:param:btl_vader_max_send_size:value:32768\n"
    "mca:btl:vader:param:btl_vader_single_copy_mechanism:value:cma\n"
    "mca:btl:vader:param:btl_vader_single_copy_mechanism:enumerator:value:1:cma\n"
    "mca:btl:vader:param:btl_vader_single_copy_mechanism:enumerator:value:3:none\n"
    "mca:coll:tuned:param:coll_tuned_bcast_algorithm:value:ignore\n"
    "mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:0:ignore\n"
    "mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:2:chain\n"
    "mca:coll:tuned:param:coll_tuned_use_dynamic_rules:value:false\n"
    "bindings:c:yes\n";

constexpr const char* kMpivars =
    "344 MPI Control Variables\n"
    "\tMPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE=8192\tSCOPE_ALL_EQ\tNo-object\tMPI_INT\t"
    "VERBOSITY_USER_BASIC\tSize of each cell.\n"
    "\tMPIR_CVAR_CH4_PACK_BUFFER_SIZE  =16384\tSCOPE_LOCAL\tNo-object\tMPI_INT\t"
    "VERBOSITY_USER_BASIC\tSize.\n"
    "\tMPIR_CVAR_BCAST_INTRA_ALGORITHM =0\tSCOPE_ALL_EQ\tNo-object\tMPI_INT\t"
    "VERBOSITY_USER_BASIC\tVariable to select bcast algorithm\nauto - Internal\n"
    "binomial - Force Binomial Tree\n"
    "\tMPIR_CVAR_BCAST_INTRA_ALGORITHM :\tSCOPE_ALL_EQ\tNo-object\n";

constexpr const char* kImpiInfo =
    "I_MPI_ADJUST_BCAST \n  MPI Datatype:\n    MPI_CHAR\n  Description:\n"
    "    <presetid> - Preset identifier\n    range: 0-3 \n"
    "I_MPI_WAIT_MODE\n  Description:\n    Wait.\n";

Launcher launcher_of(LauncherKind kind, const std::string& version) {
  return {kind, version, "mpiexec", ""};
}

Registry open_mpi() {
  return make_registry(launcher_of(LauncherKind::openmpi4, "4.1.4"), parse_ompi_info(kOmpiInfo),
                       "ompi_info", {});
}

TEST(Registry, ReadsValuesAndChoicesOfOpenMpi) {
  const Registry registry = open_mpi();
  EXPECT_EQ(registry.number("eager_limit"), 4096);
  const Setting* bcast = registry.find("MPI_Bcast");
  ASSERT_NE(bcast, nullptr);
  EXPECT_EQ(bcast->variable, "OMPI_MCA_coll_tuned_bcast_algorithm");
  ASSERT_EQ(bcast->choices.size(), 1U) << "what the library does not list is not legal";
  EXPECT_EQ(bcast->choices.front(), (std::pair<std::string, std::string>{"2", "chain"}));
  EXPECT_EQ(registry.find("yield"), nullptr);
  ASSERT_EQ(registry.left_out.size(), 1U);
  EXPECT_TRUE(registry.left_out.front().starts_with("ompi_info does not list btl_tcp_"));
}

TEST(Registry, RefusesValuesThatAreNotLegal) {
  const Registry registry = open_mpi();
  const auto problem = [&](const std::string& name, const std::string& value) {
    return problem_of(registry, {{"OMPI_MCA_" + name, value}});
  };
  EXPECT_EQ(problem("btl_vader_eager_limit", "16384"), "");
  EXPECT_EQ(problem("btl_vader_eager_limit", "-4"),
            "btl_vader_eager_limit=-4 is not between 1024 and 262144");
  EXPECT_NE(problem("btl_vader_eager_limit", "3k"), "");
  EXPECT_EQ(problem("btl_vader_eager_limit", "65536"),
            "the eager limit exceeds the size of a fragment");
  EXPECT_EQ(problem("btl_vader_single_copy_mechanism", "none"), "");
  EXPECT_EQ(problem("btl_vader_single_copy_mechanism", "emulated"),
            "btl_vader_single_copy_mechanism does not know \"emulated\"");
  EXPECT_EQ(problem("btl_vader_eager_limitt", "8192"),
            "OMPI_MCA_btl_vader_eager_limitt is not a known setting");
}

TEST(Registry, ReadsMpichAndItsCondition) {
  const Registry registry = make_registry(launcher_of(LauncherKind::mpich, "5.0.2"),
                                          parse_mpivars(kMpivars), "mpivars", {});
  EXPECT_EQ(registry.number("cell"), 8192);
  const Setting* bcast = registry.find("MPI_Bcast");
  ASSERT_NE(bcast, nullptr);
  ASSERT_EQ(bcast->choices.size(), 1U);
  EXPECT_EQ(bcast->choices.front().first, "binomial");
  const Settings cell{{"MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "65536"}};
  EXPECT_EQ(problem_of(registry, cell), "a cell is larger than a pack buffer");
}

TEST(Registry, ReadsTheJoinedLinesOfMpich4) {
  // As mpivars of MPICH 4.0.2 prints them.
  constexpr const char* kJoined =
      "\tMPIR_CVAR_BCAST_INTRA_ALGORITHM =0\tSCOPE_ALL_EQ\tNo-object\tMPI_INT\t"
      "VERBOSITY_USER_BASIC\tVariable to select bcast algorithmauto - Internal algorithm selection "
      "(can be overridden with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)"
      "binomial                                - Force Binomial Tree"
      "nb                                      - Force nonblocking algorithm"
      "smp                                     - Force smp algorithm"
      "scatter_recursive_doubling_allgather    - Force Scatter Recursive-Doubling Allgather"
      "scatter_ring_allgather                  - Force Scatter Ring\n"
      "\tMPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=0\tSCOPE_ALL_EQ\tNo-object\tMPI_INT\t"
      "VERBOSITY_USER_BASIC\tVariable to select algorithmk_brucks  - Force one"
      "recursive_doubling - Force the other with brucks\n";
  const Registry registry = make_registry(launcher_of(LauncherKind::mpich, "4.0.2"),
                                          parse_mpivars(kJoined), "mpivars", {});
  const auto choices = [&](const char* operation) {
    std::vector<std::string> all;
    for (const auto& [value, name] : registry.find(operation)->choices) all.push_back(value);
    return all;
  };
  EXPECT_EQ(choices("MPI_Bcast"),
            (std::vector<std::string>{"binomial", "scatter_recursive_doubling_allgather",
                                      "scatter_ring_allgather", "smp"}));
  EXPECT_EQ(choices("MPI_Allgather"), std::vector<std::string>{"recursive_doubling"})
      << "k_brucks is not brucks";
}

TEST(Registry, ComparesWhatARankReads) {
  const Registry registry = open_mpi();
  const Settings settings{{"OMPI_MCA_btl_vader_eager_limit", "16384"},
                          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
                          {"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"}};
  std::vector<std::string> ignored;
  const std::vector<std::string> lines =
      compare_values(registry, settings,
                     {{"btl_vader_eager_limit", "4096"}, {"btl_vader_single_copy_mechanism", "3"}},
                     "MPI_T", ignored);
  EXPECT_EQ(ignored, std::vector<std::string>{"btl_vader_eager_limit"});
  EXPECT_EQ(lines, std::vector<std::string>{"btl_vader_single_copy_mechanism is 3 (MPI_T)"});
}

TEST(Registry, ReadsRangesOfIntelMpi) {
  const Registry registry = make_registry(launcher_of(LauncherKind::intel, "2021.18.1"),
                                          parse_impi_info(kImpiInfo), "impi_info", {});
  EXPECT_EQ(problem_of(registry, {{"I_MPI_ADJUST_BCAST", "3:0-1023@4-4"}}), "");
  EXPECT_EQ(problem_of(registry, {{"I_MPI_ADJUST_BCAST", "0:0-9;3:10-20;0:21-99"}}), "");
  for (const char* value : {"4", "0", "0:0-9;3:10-20;4:21-99"}) {
    EXPECT_NE(problem_of(registry, {{"I_MPI_ADJUST_BCAST", value}}), "") << value;
  }
}

TEST(Registry, KnowsHazardsAndTriesNothingWithoutAList) {
  doctor::Hazard hazard{
      "id", {"openmpi"}, ">=4", "it hangs",
      "",   "",          "",    {"OMPI_MCA_btl_vader_single_copy_mechanism=none"}};
  const Launcher launcher = launcher_of(LauncherKind::openmpi4, "4.1.4");
  const Registry registry =
      make_registry(launcher, parse_ompi_info(kOmpiInfo), "ompi_info", {hazard});
  EXPECT_EQ(problem_of(registry, {{"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}}),
            "OMPI_MCA_btl_vader_single_copy_mechanism=none: it hangs");
  EXPECT_TRUE(make_registry(launcher, std::nullopt, "", {}).settings.empty());
}

TEST(Registry, SettingsOfOtherLibrariesAreNotIgnoredBecauseTheToolOmitsThem) {
  namespace fs = std::filesystem;
  const fs::path folder =
      fs::path(testing::TempDir()) / ("plait_tool_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "mpivars") << "#!/bin/sh\ncat <<'END'\n" << kMpivars << "END\n";
  fs::permissions(folder / "mpivars", fs::perms::owner_all);
  Registry registry;
  registry.launcher = {LauncherKind::mpich, "5.0.2", "mpiexec", (folder / "mpiexec").string()};
  std::vector<std::string> ignored;
  read_back(registry, {{"ROMIO_HINTS", "hints"}, {"FI_PROVIDER", "tcp"}, {"MPIR_CVAR_NONE", "1"}},
            ignored);
  EXPECT_EQ(ignored, std::vector<std::string>{"MPIR_CVAR_NONE"});
  fs::remove_all(folder);
}

}  // namespace
}  // namespace plait::tune
