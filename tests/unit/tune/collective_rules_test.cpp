// SPDX-License-Identifier: BSD-3-Clause
// Rules of collective operations as each MPI library reads them.
#include "tune/collective_rules.hpp"

#include <gtest/gtest.h>

namespace plait::tune {
namespace {

using launcher::LauncherKind;

const CollectiveRule kBcast{"MPI_Bcast", "I_MPI_ADJUST_BCAST", 4, 0, kAllSizes, "3"};
const CollectiveRule kSmall{"MPI_Allreduce", "I_MPI_ADJUST_ALLREDUCE", 4, 0, 1024, "2"};
const CollectiveRule kLarge{"MPI_Allreduce", "I_MPI_ADJUST_ALLREDUCE", 4, 1024, kAllSizes, "4"};

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

TEST(CollectiveRules, FilesAreNamedByTheirContent) {
  const WrittenRules written = written_rules(LauncherKind::openmpi4, {kSmall, kBcast});
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
  const std::string name = written_rules(LauncherKind::openmpi4, many).files.begin()->first;
  EXPECT_TRUE(name.starts_with("coll-58-rules-")) << name;
  EXPECT_LT(name.size(), 40U);
  many.back().algorithm = "3";
  EXPECT_NE(written_rules(LauncherKind::openmpi4, many).files.begin()->first, name);
}

TEST(CollectiveRules, IntelMpiHasRangesAndMpichOneAlgorithm) {
  const WrittenRules intel = written_rules(LauncherKind::intel, {kLarge, kSmall});
  EXPECT_TRUE(intel.files.empty());
  EXPECT_EQ(intel.environment.at("I_MPI_ADJUST_ALLREDUCE"), "2:0-1023@4-4;4:1024-2147483647@4-4");
  const CollectiveRule rule{"MPI_Bcast", "MPIR_CVAR_BCAST_INTRA_ALGORITHM", 4, 0, kAllSizes,
                            "binomial"};
  EXPECT_EQ(written_rules(LauncherKind::mpich, {rule}).environment,
            (std::map<std::string, std::string>{{"MPIR_CVAR_BCAST_INTRA_ALGORITHM", "binomial"}}));
}

}  // namespace
}  // namespace plait::tune
