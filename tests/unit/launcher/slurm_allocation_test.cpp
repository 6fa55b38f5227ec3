// SPDX-License-Identifier: BSD-3-Clause
// The nodes and slots of a Slurm job are read from its environment variables.
#include "launcher/slurm_allocation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "plait/error.hpp"

namespace plait::launcher {
namespace {

using Names = std::vector<std::string>;

std::optional<SlurmAllocation> allocation_in(
    const std::map<std::string, std::string>& environment) {
  return slurm_allocation([&](const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  });
}

TEST(HostList, expands_ranges_with_their_width) {
  EXPECT_EQ(expand_hostlist("n0"), Names{"n0"});
  EXPECT_EQ(expand_hostlist("n[1-3,07,9-11],gpu4"),
            (Names{"n1", "n2", "n3", "n07", "n9", "n10", "n11", "gpu4"}));
  EXPECT_EQ(expand_hostlist("n[098-101]"), (Names{"n098", "n099", "n100", "n101"}));
  EXPECT_EQ(expand_hostlist("a[1-2]-b[3,5]-x"),
            (Names{"a1-b3-x", "a1-b5-x", "a2-b3-x", "a2-b5-x"}));
  EXPECT_EQ(expand_hostlist("rack-1-n2.site.org"), Names{"rack-1-n2.site.org"});
}

TEST(HostList, of_any_range_has_all_its_numbers_in_order) {
  for (const int width : {1, 2, 3, 5}) {
    for (const int low : {0, 1, 8, 95, 998}) {
      for (const int count : {1, 2, 13, 1200}) {
        const int high = low + count - 1;
        const Names names = expand_hostlist(fmt::format("n[{:0{}}-{}]x", low, width, high));
        ASSERT_EQ(names.size(), static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
          ASSERT_EQ(names[static_cast<std::size_t>(i)], fmt::format("n{:0{}}x", low + i, width));
        }
      }
    }
  }
}

TEST(HostList, refuses_what_is_none) {
  for (const char* list : {"",
                           "n[1-3",
                           "n1-3]",
                           "n[[1]]",
                           "n[]",
                           "n[1,]",
                           "n[a-b]",
                           "n[3-1]",
                           "n1,,n2",
                           ",n1",
                           "n1,",
                           "n[-1-2]",
                           "n[1--2]",
                           "n[1-2-3]",
                           "n[+1]",
                           "n[0-99999999999]",
                           "n[0-9999999]",
                           "n[0-99999,0-99999,1]",
                           "n[0-9999][0-9999]",
                           "n[ 1]"}) {
    EXPECT_THROW(expand_hostlist(list), Error) << list;
  }
}

TEST(Counts, repeat_what_slurm_repeats) {
  EXPECT_EQ(expand_counts("2(x3),1"), (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(expand_counts("4"), std::vector<int>{4});
  const auto many = expand_counts("1(x1000),16(x24)");
  EXPECT_EQ(std::accumulate(many.begin(), many.end(), 0), 1000 + 16 * 24);
  for (const char* text : {"", "2(x)", "2(3)", "(x2)", "2(x3", "2,", "a", "2(x-1)", "2(x0)", "-2",
                           "2 ", "1(x99999999)"}) {
    EXPECT_THROW(expand_counts(text), Error) << text;
  }
}

TEST(Allocation, has_the_nodes_cpus_and_tasks_of_the_job) {
  const auto found = allocation_in({{"SLURM_JOB_ID", "12"},
                                    {"SLURM_JOB_NODELIST", "n[0-1],big"},
                                    {"SLURM_JOB_CPUS_PER_NODE", "4(x2),8"},
                                    {"SLURM_TASKS_PER_NODE", "2(x2),3"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, (SlurmAllocation{"12", {{"n0", 4, 2}, {"n1", 4, 2}, {"big", 8, 3}}}));
  EXPECT_EQ(allocation_text(*found), "Slurm job 12: 3 nodes, 16 CPUs");
}

TEST(Allocation, is_none_outside_a_job) {
  EXPECT_FALSE(allocation_in({}));
  EXPECT_FALSE(allocation_in({{"SLURM_JOB_ID", "12"}}));
  EXPECT_FALSE(allocation_in({{"SLURM_JOB_NODELIST", "n0"}}));
}

TEST(Allocation, counts_tasks_by_cpus_where_slurm_does_not) {
  const std::map<std::string, std::string> step{{"SLURM_JOB_ID", "7"},
                                                {"SLURM_JOB_NODELIST", "n[0-1]"},
                                                {"SLURM_JOB_CPUS_PER_NODE", "8(x2)"},
                                                {"SLURM_CPUS_PER_TASK", "4"},
                                                {"SLURM_TASKS_PER_NODE", "1"}};
  const auto found = allocation_in(step);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->nodes, (std::vector<AllocatedNode>{{"n0", 8, 2}, {"n1", 8, 2}}));
  EXPECT_EQ(allocation_text(*found), "Slurm job 7: 2 nodes x 8 CPUs");
  const auto bare = allocation_in({{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n0"}});
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->nodes, (std::vector<AllocatedNode>{{"n0", 0, 1}}));
  EXPECT_EQ(allocation_text(*bare), "Slurm job 7: 1 node");
}

TEST(Allocation, that_cannot_be_read_is_refused) {
  EXPECT_THROW(allocation_in({{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[0"}}), Error);
  EXPECT_THROW(allocation_in({{"SLURM_JOB_ID", "7"},
                              {"SLURM_JOB_NODELIST", "n0"},
                              {"SLURM_JOB_CPUS_PER_NODE", "four"}}),
               Error);
}

/// A plan with one rank on each of these nodes.
Plan plan_on(const Names& nodes) {
  Plan plan;
  plan.name = "test";
  plan.ranks = static_cast<int>(nodes.size());
  for (const std::string& node : nodes) plan.places.push_back({node, {}, {}});
  return plan;
}

Names nodes_in(const Plan& plan) {
  Names nodes;
  for (const RankPlaces& place : plan.places) nodes.push_back(place.node);
  return nodes;
}

TEST(PlanOnAllocation, takes_its_nodes_in_order_unless_it_has_them) {
  const SlurmAllocation job{"3", {{"n4", 2, 2}, {"n5.site", 2, 2}}};
  const auto on_job = [&](const Names& nodes) {
    return nodes_in(on_allocation(plan_on(nodes), job));
  };
  EXPECT_EQ(on_job({"a", "b", "a"}), (Names{"n4", "n5.site", "n4"}));
  EXPECT_EQ(on_job({"n5", "n4"}), (Names{"n5", "n4"})) << "its own nodes stay as they are";
  EXPECT_EQ(on_job({"n5", "c"}), (Names{"n4", "n5.site"}));
  EXPECT_EQ(on_job({"", ""}), (Names{"", ""}));
  EXPECT_THROW(on_job({"a", "b", "c"}), Error);
}

}  // namespace
}  // namespace plait::launcher
