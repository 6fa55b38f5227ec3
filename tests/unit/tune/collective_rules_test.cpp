// SPDX-License-Identifier: BSD-3-Clause
// Rules of collective operations as each MPI library reads them.
#include "tune/collective_rules.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "plait/error.hpp"
#include "tune/mpich_selection.hpp"

namespace plait::tune {
namespace {

using launcher::LauncherKind;

const CollectiveRule kBcast{"MPI_Bcast", "I_MPI_ADJUST_BCAST", 4, 0, kAllSizes, "3"};
const CollectiveRule kSmall{"MPI_Allreduce", "I_MPI_ADJUST_ALLREDUCE", 4, 0, 1024, "2"};
const CollectiveRule kLarge{"MPI_Allreduce", "I_MPI_ADJUST_ALLREDUCE", 4, 1024, kAllSizes, "4"};

launcher::Launcher launcher_of(LauncherKind kind, const std::string& version) {
  return {kind, version, "mpiexec", ""};
}

/// A tree such as MPICH's, and all that is around it in a library.
constexpr const char* kTree =
    R"({"collective=bcast":{"comm_type=intra":{"algorithm=MPIR_Bcast_intra_binomial":{}},)"
    R"("comm_type=inter":{"algorithm=MPIR_Bcast_inter_x":{}}},"collective=allreduce":)"
    R"({"comm_type=intra":{"algorithm=MPIR_Allreduce_intra_smp":{}}}})";

const std::string kParts =
    R"({"collective=bcast":{"comm_type=intra":{"comm_hierarchy=parent":)"
    R"({"composition=MPIDI_Bcast_intra_composition_alpha":{}},"comm_hierarchy=any":)"
    R"({"composition=MPIDI_Bcast_intra_composition_gamma":{}}}},"collective=barrier":)"
    R"({"comm_type=intra":{"comm_hierarchy=parent":)"
    R"({"composition=MPIDI_Barrier_intra_composition_alpha":{}},"comm_hierarchy=any":)"
    R"({"composition=MPIDI_Barrier_intra_composition_beta":{}}}}})";

TEST(CollectiveRules, OpenMpiFilesLeaveOtherSizesToTheLibrary) {
  EXPECT_EQ(openmpi_rules({kBcast}),
            "1 # operations\n"
            "7 # MPI_Bcast\n"
            "3 # communicator sizes\n"
            "0 # ranks\n1 # message sizes\n0 0 0 0\n"
            "4 # ranks\n1 # message sizes\n0 3 0 0\n"
            "5 # ranks\n1 # message sizes\n0 0 0 0\n");
}

TEST(CollectiveRules, OpenMpiFilesHaveRulesInAscendingOrder) {
  EXPECT_EQ(openmpi_rules({kBcast, kLarge, kSmall}).substr(0, 139),
            "2 # operations\n"
            "2 # MPI_Allreduce\n"
            "3 # communicator sizes\n"
            "0 # ranks\n1 # message sizes\n0 0 0 0\n"
            "4 # ranks\n2 # message sizes\n0 2 0 0\n1024 4 0 0\n");
}

TEST(CollectiveRules, NewerOpenMpiHasVersion2WithTheMostRequests) {
  CollectiveRule alltoall{"MPI_Alltoall", "", 4, 0, kAllSizes, "4", 8};
  const launcher::Launcher newer = launcher_of(LauncherKind::openmpi5, "5.0.11");
  const std::string text = written_rules(newer, {alltoall}).files.begin()->second;
  EXPECT_TRUE(text.starts_with("rule-file-version-2\n1 # operations\n")) << text;
  EXPECT_NE(text.find("4 # ranks\n1 # message sizes\n0 4 0 0 8\n"), text.npos) << text;
  const launcher::Launcher older = launcher_of(LauncherKind::openmpi5, "5.0.6");
  EXPECT_EQ(written_rules(older, {alltoall}).files.begin()->second, openmpi_rules({alltoall}));
}

TEST(CollectiveRules, MpichGetsItsOwnTreeWithTheRulesInIt) {
  CollectiveRule rule{"MPI_Bcast", "MPIR_CVAR_X", 4, 1024, kAllSizes, "scatter_ring_allgather"};
  const WrittenRules written =
      written_rules(launcher_of(LauncherKind::mpich, "5.0.2"), {rule}, {kTree, ""});
  ASSERT_EQ(written.files.size(), 1U);
  EXPECT_EQ(written.environment.at(kMpichTreeVariable),
            "{folder}/coll-bcast4-scatter_ring_allgather-from1024.json");
  const auto tree = nlohmann::ordered_json::parse(written.files.begin()->second);
  const auto built_in = nlohmann::ordered_json::parse(kTree);
  EXPECT_EQ(tree["collective=allreduce"], built_in["collective=allreduce"]);
  EXPECT_EQ(tree["collective=bcast"]["comm_type=intra"].dump(),
            R"({"comm_size<4":{"algorithm=MPIR_Bcast_intra_binomial":{}},"comm_size<=4":)"
            R"({"avg_msg_size<1024":{"algorithm=MPIR_Bcast_intra_binomial":{}},)"
            R"("avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_scatter_ring_allgather":{}}},)"
            R"("comm_size=any":{"algorithm=MPIR_Bcast_intra_binomial":{}}})");
  // An algorithm for commutative operations only.
  rule = {"MPI_Allreduce", "MPIR_CVAR_X", 4, 0, kAllSizes, "recursive_doubling"};
  const std::string text = with_rules(kTree, {rule});
  EXPECT_NE(text.find("is_commutative=no"), text.npos) << text;
  EXPECT_THROW(with_rules("{}", {rule}), Error);
}

TEST(CollectiveRules, TheTreeOfMpichIsInItsLibrary) {
  const std::string path = ::testing::TempDir() + "plait-library";
  std::ofstream(path, std::ios::binary)
      << "x" << '\0' << R"({"collective=bcast":{"algorithm=a":{}}})" << '\0' << kTree << '\0'
      << kParts << '\0' << "y";
  EXPECT_EQ(built_in_trees(path).algorithms, kTree);
  EXPECT_EQ(built_in_trees(path).compositions, kParts);
  EXPECT_EQ(built_in_trees(path + "-missing").algorithms, "");
}

TEST(CollectiveRules, MpichDoesNotDivideCallsWithARuleIntoPartsInsideAndBetweenNodes) {
  const CollectiveRule bcast{"MPI_Bcast", "MPIR_CVAR_X", 4, 0, 1024, "binomial"};
  CollectiveRule barrier{"MPI_Barrier", "MPIR_CVAR_Y", 4, 0, kAllSizes, "dissemination"};
  const launcher::Launcher mpich = launcher_of(LauncherKind::mpich, "5.0.2");
  const WrittenRules written = written_rules(mpich, {bcast, barrier}, {kTree, kParts});
  const std::string& file = written.environment.at(kMpichCompositionVariable);
  EXPECT_EQ(file, "{folder}/parts-coll-barrier4-dissemination-bcast4-binomial-to1024.json");
  const auto tree =
      nlohmann::ordered_json::parse(written.files.at(file.substr(file.find('/') + 1)));
  const std::string kept = R"({"composition=MPIDI_Bcast_intra_composition_alpha":{}})";
  const std::string whole = R"({"composition=MPIDI_Bcast_intra_composition_gamma":{}})";
  EXPECT_EQ(tree["collective=bcast"]["comm_type=intra"]["comm_size<=4"].dump(),
            R"({"avg_msg_size<1024":)" + whole + R"(,"avg_msg_size=any":)" +
                tree["collective=bcast"]["comm_type=intra"]["comm_size=any"].dump() + "}");
  EXPECT_NE(tree.dump().find(kept), std::string::npos);
  EXPECT_EQ(tree["collective=barrier"]["comm_type=intra"]["comm_size<=4"].dump(),
            R"({"composition=MPIDI_Barrier_intra_composition_beta":{}})");
  EXPECT_EQ(written.environment.at("MPIR_CVAR_Y"), "dissemination");
  barrier.operation = "MPI_Alltoall";
  EXPECT_FALSE(written_rules(mpich, {barrier}, {kTree, kParts})
                   .environment.contains(kMpichCompositionVariable));
}

TEST(CollectiveRules, OpenMpiGetsTheSegmentsOfAPipeline) {
  CollectiveRule rule{"MPI_Bcast", "x", 4, 0, kAllSizes, "3"};
  rule.segment_bytes = 16384;
  EXPECT_NE(openmpi_rules({rule}).find("4 # ranks\n1 # message sizes\n0 3 0 16384\n"),
            std::string::npos);
  EXPECT_EQ(
      written_rules(launcher_of(LauncherKind::openmpi4, "4.1.4"), {rule}).files.begin()->first,
      "coll-bcast4-3-segments16384.conf");
}

TEST(CollectiveRules, FilesAreNamedByTheirContent) {
  const WrittenRules written =
      written_rules(launcher_of(LauncherKind::openmpi4, "4.1.4"), {kSmall, kBcast});
  ASSERT_EQ(written.files.size(), 1U);
  EXPECT_EQ(written.files.begin()->first, "coll-allreduce4-2-to1024-bcast4-3.conf");
  EXPECT_EQ(written.environment.at("OMPI_MCA_coll_tuned_use_dynamic_rules"), "1");
  EXPECT_EQ(written.environment.at("OMPI_MCA_coll_tuned_dynamic_rules_filename"),
            "{folder}/coll-allreduce4-2-to1024-bcast4-3.conf");
}

TEST(CollectiveRules, NamesOfFilesHaveALimit) {
  std::vector<CollectiveRule> many;
  for (int ranks = 2; ranks < 60; ++ranks) {
    many.push_back(kSmall);
    many.back().ranks = ranks;
  }
  const std::string name =
      written_rules(launcher_of(LauncherKind::openmpi4, "4.1.4"), many).files.begin()->first;
  EXPECT_TRUE(name.starts_with("coll-58-rules-")) << name;
  EXPECT_LT(name.size(), 40U);
  many.back().algorithm = "3";
  EXPECT_NE(written_rules(launcher_of(LauncherKind::openmpi4, "4.1.4"), many).files.begin()->first,
            name);
}

TEST(CollectiveRules, IntelMpiHasRangesOfSizesOrOfRanks) {
  const launcher::Launcher intel = launcher_of(LauncherKind::intel, "2021.18");
  const auto value = [&](const std::vector<CollectiveRule>& rules) {
    return written_rules(intel, rules).environment.at("I_MPI_ADJUST_ALLREDUCE");
  };
  CollectiveRule all = kLarge, other = kLarge, middle = kLarge;
  all.from_bytes = 0;
  EXPECT_EQ(value({all}), "4:0-2147483647@4-4;0:0-2147483647");
  other.ranks = 2;
  EXPECT_EQ(value({kSmall, other}), "2:0-1023;0:1024-2147483647")
      << "sizes are for one communicator, the largest one";
  middle.to_bytes = 4096;
  EXPECT_EQ(value({middle}), "0:0-1023;4:1024-4095;0:4096-2147483647");
  EXPECT_TRUE(has_size_rules(LauncherKind::intel, "MPI_Allreduce", true));
  EXPECT_FALSE(has_size_rules(LauncherKind::intel, "MPI_Allreduce", false));
}

TEST(CollectiveRules, IntelMpiHasRangesAndMpichOneAlgorithm) {
  const WrittenRules intel =
      written_rules(launcher_of(LauncherKind::intel, "2021.18"), {kLarge, kSmall});
  EXPECT_TRUE(intel.files.empty());
  EXPECT_EQ(intel.environment.at("I_MPI_ADJUST_ALLREDUCE"), "2:0-1023;4:1024-2147483647");
  const CollectiveRule rule{"MPI_Bcast", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", 4, 0, kAllSizes,
                            "binomial"};
  EXPECT_EQ(written_rules(launcher_of(LauncherKind::mpich, "5.0.2"), {rule}).environment,
            (std::map<std::string, std::string>{{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"}}));
}

}  // namespace
}  // namespace plait::tune
