// SPDX-License-Identifier: BSD-3-Clause
// The verdict names the largest loss and who is responsible.
#include "report/verdict.hpp"

#include <gtest/gtest.h>

#include "synthetic_profiles.hpp"

namespace plait::report {
namespace {

bool says(const Profile& profile, const std::string& text) {
  return verdict(profile).find(text) != std::string::npos;
}

TEST(Verdict, names_the_slow_rank_and_where_the_others_wait) {
  EXPECT_TRUE(says(imbalanced_profile(), "The largest loss is load imbalance"));
  EXPECT_TRUE(says(imbalanced_profile(), "rank 3 computes 1.60 times the mean"));
  EXPECT_TRUE(says(imbalanced_profile(), "the others wait in MPI_Allreduce at solve (cg.c:120)"));
}

TEST(Verdict, names_no_call_for_a_wait_that_was_elsewhere) {
  Profile profile = imbalanced_profile();
  for (SiteRow& site : profile.sites) site.time_s = site.ranks * site.time_min_s + 1e-6;
  EXPECT_TRUE(says(profile, "The largest loss is load imbalance"));
  EXPECT_FALSE(says(profile, "the others wait"));
}

TEST(Verdict, names_the_call_that_communicates_most) {
  EXPECT_TRUE(says(communication_profile(), "The largest loss is communication"));
  EXPECT_TRUE(
      says(communication_profile(), "MPI_Alltoallv at fft::Plan::transpose (transpose.cpp:212)"));
}

TEST(Verdict, names_a_wrapper_with_its_main_caller) {
  EXPECT_TRUE(says(wrapped_profile(),
                   "MPI_Waitall at comm_wait (comm.c:52) takes 43 % of the time, 32 % called from "
                   "matvec"))
      << verdict(wrapped_profile());
}

TEST(Verdict, distinguishes_calls_of_other_threads_from_the_time_of_the_ranks) {
  Profile profile = communication_profile();
  for (RankRow& rank : profile.ranks) rank.mpi_s /= 10;
  EXPECT_TRUE(says(profile, "; other threads spent"));
}

TEST(Verdict, puts_a_bad_placement_before_anything_else) {
  EXPECT_EQ(verdict(one_core_profile()).find("Fix the placement first: the 2 threads"), 0U);
}

TEST(Verdict, of_a_healthy_run_says_that_nothing_stands_out) {
  EXPECT_EQ(verdict(healthy_profile()).find("Nothing stands out: 97 %"), 0U);
}

TEST(Verdict, of_a_bad_placement_does_not_say_that_nothing_stands_out) {
  Profile profile = healthy_profile();
  profile.findings = one_core_profile().findings;
  EXPECT_TRUE(says(profile, "Fix the placement first: the 2 threads"));
  EXPECT_FALSE(says(profile, "Nothing stands out"));
}

TEST(Verdict, names_losses_together_that_noise_could_reorder) {
  // Either of the two is the larger one, by a little.
  for (const double more : {-0.2, 0.2}) {
    Profile profile = imbalanced_profile();
    profile.efficiencies.parallel.value = 0.4;
    profile.efficiencies.communication.value = 0.7 + 0.1 * more;
    EXPECT_TRUE(says(profile, "finds the cause): load imbalance")) << more;
    EXPECT_TRUE(says(profile, "; communication, ")) << more;
  }
}

TEST(Verdict, says_that_calls_may_wait_for_late_ranks_which_a_trace_decides) {
  EXPECT_TRUE(says(communication_profile(), "part of it may be waiting for late ranks"));
}

TEST(Verdict, leaves_the_causes_to_the_analysis_of_a_trace) {
  const std::string text = verdict(communication_profile(), true);
  EXPECT_NE(text.find("The analysis of the trace names the causes."), std::string::npos);
  EXPECT_EQ(text.find("largest loss"), std::string::npos);
}

TEST(Verdict, of_a_run_without_communication_says_so) {
  EXPECT_TRUE(says(no_mpi_calls_profile(), "The program only starts and ends MPI"));
  EXPECT_TRUE(says(without_ranks_profile(), "no process of the command initialized MPI."));
  Profile failed = without_ranks_profile();
  failed.exit_code = 127;
  EXPECT_TRUE(says(failed, "it failed with exit code 127, see stderr.txt."));
}

TEST(Verdict, names_waiting_for_a_cpu_first) {
  Profile profile = healthy_profile();
  profile.cpu_wait_fraction = 0.2;
  EXPECT_EQ(verdict(profile).find("Ranks waited 20 % of the time for a CPU. "), 0U);
}

TEST(TimeShares, sum_to_one) {
  const TimeShares shares = time_shares(one_core_profile());
  EXPECT_NEAR(shares.compute + shares.mpi + shares.omp_idle, 1.0, 1e-12);
}

}  // namespace
}  // namespace plait::report
