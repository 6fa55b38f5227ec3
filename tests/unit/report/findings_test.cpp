// SPDX-License-Identifier: BSD-3-Clause
// Findings that follow from a profile's figures.
#include "report/findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "synthetic_profiles.hpp"

namespace plait::report {
namespace {

const Finding* find(const std::vector<Finding>& findings, const std::string& id) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

TEST(Findings, of_a_healthy_run_are_none) {
  EXPECT_TRUE(findings_of(healthy_profile()).empty());
  EXPECT_TRUE(findings_of(no_mpi_calls_profile()).empty());
  EXPECT_TRUE(findings_of(without_ranks_profile()).empty());
}

TEST(Findings, name_the_rank_that_computes_most) {
  const auto findings = findings_of(imbalanced_profile());
  const Finding* finding = find(findings, "load_imbalance");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, "high");
  EXPECT_EQ(finding->what, "rank 3 computes 1.60 times the mean");
  EXPECT_EQ(finding->evidence, "time outside MPI: rank 3 11.5 s, mean 7.17 s, rank 0 5.60 s");
  EXPECT_EQ(finding->cost, "36 % of the run");
}

TEST(Findings, blame_a_bad_placement_for_idle_threads) {
  Profile profile = one_core_profile();
  EXPECT_EQ(find(findings_of(profile), "threads_wait")->severity, "low");
  EXPECT_EQ(find(findings_of(profile), "threads_wait")->what,
            "OpenMP threads are idle in solve._omp_fn.0 (cg.c:90)");
  profile.contention.own_ranks_s = 18;
  EXPECT_EQ(find(findings_of(profile), "cpu_taken"), nullptr);
  profile.findings.clear();
  EXPECT_EQ(find(findings_of(profile), "threads_wait")->severity, "high");
  EXPECT_EQ(find(findings_of(profile), "cpu_taken")->severity, "high");
}

TEST(Findings, count_tiny_messages_only_when_they_cost_time) {
  Profile profile = healthy_profile();
  profile.sizes = {{"point_to_point", 8, 15, 950, 9500, 4.0},
                   {"point_to_point", 65536, 131071, 50, 5000000, 1.0},
                   {"collective", 8, 15, 1000000, 8000000, 9.0}};
  const auto findings = findings_of(profile);
  const Finding* finding = find(findings, "tiny_messages");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->what, "95 % of the messages are smaller than 256 bytes");
  profile.sizes[0].time_s = 0.1;
  EXPECT_EQ(find(findings_of(profile), "tiny_messages"), nullptr);
}

TEST(Findings, name_the_limits_of_the_profile) {
  Profile profile = healthy_profile();
  profile.overhead.unseen_entry_points = {"MPIX_Foo", "MPIX_Bar"};
  profile.overhead.lost_records = 10;
  profile.overhead.fraction = 0.03;
  profile.openmp.measured = "not measured";
  const auto findings = findings_of(profile);
  for (const char* id :
       {"unseen_entry_points", "lost_records", "tool_overhead", "openmp_not_measured"}) {
    EXPECT_NE(find(findings, id), nullptr) << id;
  }
}

TEST(Findings, say_how_to_call_the_most_frequent_function_less_often) {
  Profile profile = healthy_profile();
  profile.overhead.fraction = 0.1;
  profile.calls = {{"MPI_Test", 1000, 0, 0.1}, {"MPI_Send", 10, 80, 0.1}};
  EXPECT_EQ(find(findings_of(profile), "tool_overhead")->fix,
            "call MPI_Test less often: wait instead of polling");
  profile.calls[1].count = 5000;
  EXPECT_EQ(find(findings_of(profile), "tool_overhead")->fix,
            "call MPI_Send less often: put more work or data into each call");
}

TEST(Findings, name_the_barrier_that_takes_long) {
  Profile profile = healthy_profile();
  profile.sites[1].call = "MPI_Barrier";
  profile.sites[1].time_s = 4.8;
  EXPECT_EQ(find(findings_of(profile), "barrier")->what,
            "ranks wait in MPI_Barrier at solve (cg.c:120)");
}

TEST(Findings, are_sorted_by_severity_and_placement) {
  std::vector<Finding> findings{{"a", "low", "", "", "", ""},
                                {"load_imbalance", "high", "", "", "", ""},
                                {"ranks_overlap", "high", "", "", "", ""},
                                {"b", "medium", "", "", "", ""}};
  sort_findings(findings);
  EXPECT_EQ(findings[0].id, "ranks_overlap");
  EXPECT_EQ(findings[1].id, "load_imbalance");
  EXPECT_EQ(findings[3].id, "a");
}

}  // namespace
}  // namespace plait::report
