// SPDX-License-Identifier: BSD-3-Clause
// The verdict names the largest loss and who is responsible.
#include "report/verdict.hpp"

#include <gtest/gtest.h>

#include "report/site_text.hpp"
#include "synthetic_profiles.hpp"

namespace plait::report {
namespace {

bool says(const Profile& profile, const std::string& words) {
  return verdict(profile).find(words) != std::string::npos;
}

TEST(Verdict, names_the_slow_rank_and_where_the_others_wait) {
  EXPECT_TRUE(says(imbalanced_profile(), "the largest loss is load imbalance"));
  EXPECT_TRUE(says(imbalanced_profile(), "rank 3 computes 1.60 times the mean"));
  EXPECT_TRUE(says(imbalanced_profile(), "the others wait in MPI_Allreduce at solve (cg.c:120)"));
}

TEST(Verdict, names_no_call_for_a_wait_that_was_elsewhere) {
  Profile profile = imbalanced_profile();
  for (SiteRow& site : profile.sites) site.time_s = site.ranks * site.time_min_s + 1e-6;
  EXPECT_TRUE(says(profile, "the largest loss is load imbalance"));
  EXPECT_FALSE(says(profile, "the others wait"));
}

TEST(Verdict, names_the_call_that_communicates_most) {
  EXPECT_TRUE(says(communication_profile(), "the largest loss is communication"));
  EXPECT_TRUE(
      says(communication_profile(), "MPI_Alltoallv at fft::Plan::transpose (transpose.cpp:212)"));
}

TEST(Verdict, tells_calls_of_other_threads_from_the_time_of_the_ranks) {
  Profile profile = communication_profile();
  for (RankRow& rank : profile.ranks) rank.mpi_s /= 10;
  EXPECT_TRUE(says(profile, "beside it other threads spent"));
}

TEST(Verdict, puts_a_bad_placement_before_anything_else) {
  EXPECT_EQ(verdict(one_core_profile()).find("Placement first: the 2 threads"), 0U);
}

TEST(Verdict, of_a_healthy_run_says_that_nothing_stands_out) {
  EXPECT_EQ(verdict(healthy_profile()).find("Nothing stands out: 97 %"), 0U);
}

TEST(Verdict, of_a_run_without_communication_says_so) {
  EXPECT_TRUE(says(no_mpi_calls_profile(), "No MPI call but start and end"));
  EXPECT_TRUE(says(without_ranks_profile(), "no process of the command initialized MPI."));
  Profile failed = without_ranks_profile();
  failed.exit_code = 127;
  EXPECT_TRUE(says(failed, "it failed with exit code 127, see stderr.txt."));
}

TEST(Verdict, names_those_who_take_the_cpu) {
  Profile profile = healthy_profile();
  profile.cpu_taken_fraction = 0.2;
  EXPECT_TRUE(says(profile, "Others held its cores for 20 % of the time"));
}

TEST(TimeShares, sum_to_one) {
  const TimeShares shares = time_shares(one_core_profile());
  EXPECT_NEAR(shares.compute + shares.mpi + shares.omp_idle, 1.0, 1e-12);
}

TEST(SitePlaces, tell_what_is_known) {
  EXPECT_EQ(site_place({{"solve", "/a/cg.c", 12, "/a/cg", "0x1"}}), "solve (cg.c:12)");
  EXPECT_EQ(site_place({{"solve", "", 0, "/a/cg", "0x1"}}), "solve (cg)");
  EXPECT_EQ(site_place({{"solve", "", 0, "", ""}}), "solve");
  EXPECT_EQ(site_place({{"", "", 0, "/a/cg", "0x1f"}}), "cg+0x1f");
  EXPECT_EQ(site_place({}), "unknown place");
}

TEST(ShortFunctions, drop_parameters_and_template_arguments) {
  EXPECT_EQ(short_function("void a::B<int, c<d>>::run<true>(int, char) const"), "a::B::run");
  EXPECT_EQ(short_function("LAMMPS_NS::Comm::forward_comm(int)"), "LAMMPS_NS::Comm::forward_comm");
  EXPECT_EQ(short_function("(anonymous namespace)::step(int)"), "step");
  EXPECT_EQ(short_function("a::operator()(int)"), "a::operator()(int)");
  EXPECT_EQ(short_function("solve._omp_fn.0"), "solve._omp_fn.0");
}

TEST(RankNames, are_few) {
  EXPECT_EQ(name_ranks({3}), "rank 3");
  EXPECT_EQ(name_ranks({1, 2}), "ranks 1 and 2");
  EXPECT_EQ(name_ranks({1, 2, 3, 4}), "ranks 1, 2, 3 and 4");
  EXPECT_EQ(name_ranks({1, 2, 3, 4, 5, 6}), "ranks 1, 2, 3 and 3 more");
}

}  // namespace
}  // namespace plait::report
