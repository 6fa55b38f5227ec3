// SPDX-License-Identifier: BSD-3-Clause
// The plan for several nodes has every kind of step that is possible, and notes on the others.
#include "measure/node_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

namespace plait::measure {
namespace {

std::vector<NodePlace> cluster(int nodes, int cores) {
  std::vector<NodePlace> all;
  for (int n = 0; n < nodes; ++n) {
    NodePlace node{"n" + std::to_string(n), {}};
    // The first half of the cores is in package 0.
    for (int c = 0; c < cores; ++c) node.cores.push_back({c, c, c < (cores + 1) / 2 ? 0 : 1});
    all.push_back(node);
  }
  return all;
}

NodePlanRequest request() {
  NodePlanRequest request;
  request.seconds = 30;
  request.libraries = {"libmpi.so.40"};
  request.node_path = "l3";
  return request;
}

int count(const NodePlan& plan, StepKind kind, const std::string& path = {}) {
  int found = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    found += plan.probe.steps[i].kind == kind && plan.steps[i].path == path ? 1 : 0;
  }
  return found;
}

TEST(NodePlan, has_every_kind_of_step_within_its_time) {
  const NodePlan plan = plan_nodes(cluster(4, 4), request());
  ASSERT_EQ(plan.steps.size(), plan.probe.steps.size());
  EXPECT_EQ(plan.probe.pus.size(), 16U);
  EXPECT_EQ(plan.probe.hosts[4], "n1");
  EXPECT_EQ(count(plan, StepKind::pingpong, kNetworkPath), 3) << "neighbours, ends, middle";
  EXPECT_EQ(count(plan, StepKind::multi_pair, kNetworkPath), 3) << "1, 2 and 4 pairs";
  for (const char* path : {kNetworkPath, "l3"}) {
    EXPECT_EQ(count(plan, StepKind::overlap, path), 4) << "send and receive, two kinds of work";
    EXPECT_EQ(count(plan, StepKind::eager, path), 1);
  }
  EXPECT_EQ(count(plan, StepKind::mixed, kNetworkPath), 12)
      << "two sizes; one sender and two; rank 0 in both, one or none of the messages";
  EXPECT_TRUE(plan.notes.empty());
  double seconds = 0;
  for (const ProbeStep& step : plan.probe.steps) seconds += step.seconds;
  EXPECT_NEAR(seconds, 30, 1e-9);
  EXPECT_EQ(parse_plan(format_plan(plan.probe)).steps.size(), plan.probe.steps.size());
}

TEST(NodePlan, compares_packed_ranks_with_spread_ones_at_the_same_number) {
  const NodePlan plan = plan_nodes(cluster(2, 4), request());
  const auto all_to_all = [&](int nodes, int per_node, const std::string& placement) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      const NodeStep& what = plan.steps[i];
      if (plan.probe.steps[i].what == "alltoall" && what.nodes == nodes &&
          what.per_node == per_node && what.placement == placement) {
        return i;
      }
    }
    return plan.steps.size();
  };
  const std::size_t packed = all_to_all(2, 2, "packed");
  const std::size_t spread = all_to_all(2, 2, "spread");
  ASSERT_LT(packed, plan.steps.size());
  ASSERT_LT(spread, plan.steps.size());
  EXPECT_EQ(plan.probe.steps[packed].ranks, (std::vector<int>{0, 1, 4, 5}));
  EXPECT_EQ(plan.probe.steps[spread].ranks, (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(plan.steps[packed].per_socket, 2);
  EXPECT_EQ(plan.steps[spread].per_socket, 1);
  EXPECT_EQ(all_to_all(2, 4, "spread"), plan.steps.size()) << "a full node has one way";
  EXPECT_LT(all_to_all(1, 4, "packed"), plan.steps.size()) << "four ranks on one node, too";
  EXPECT_EQ(all_to_all(1, 1, "packed"), plan.steps.size()) << "one rank has no partner";
}

TEST(NodePlan, notes_what_too_few_cores_do_not_allow) {
  const NodePlan one_core = plan_nodes(cluster(2, 1), request());
  EXPECT_EQ(count(one_core, StepKind::mixed, kNetworkPath), 0);
  EXPECT_EQ(count(one_core, StepKind::overlap, "l3"), 0);
  ASSERT_EQ(one_core.notes.size(), 1U);
  EXPECT_NE(one_core.notes[0].find("two ranks per node"), std::string::npos);

  NodePlanRequest crowded = request();
  crowded.per_node = 3;
  const NodePlan shared = plan_nodes(cluster(2, 1), crowded);
  EXPECT_EQ(count(shared, StepKind::mixed, kNetworkPath), 10);
  EXPECT_EQ(shared.probe.pus, (std::vector<int>{0, 0, 0, 0, 0, 0}));
  ASSERT_EQ(shared.notes.size(), 1U);
  EXPECT_NE(shared.notes[0].find("share 1 core"), std::string::npos);
}

TEST(NodePlan, messages_inside_the_node_cross_sockets_and_rank_0_varies) {
  const NodePlan plan = plan_nodes(cluster(2, 4), request());
  std::set<std::pair<bool, std::string>> conditions;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const ProbeStep& step = plan.probe.steps[i];
    if (step.kind != StepKind::mixed) continue;
    const RankPair& inside = step.pairs.at(0);
    const RankPair& between = step.pairs.at(1);
    EXPECT_TRUE(plan.steps[i].across_sockets);
    EXPECT_NE(inside.leader / 2, inside.follower / 2) << "two cores in each package";
    EXPECT_LT(inside.leader, 4);
    EXPECT_LT(inside.follower, 4);
    EXPECT_EQ(between.follower, 4) << "on the second node";
    EXPECT_GT(step.inside_bytes, 0U);
    const bool one_sender = inside.leader == between.leader;
    const std::string& rank0 = plan.steps[i].rank0;
    EXPECT_EQ(inside.leader == 0 || inside.follower == 0, rank0 == "both" || rank0 == "inside");
    EXPECT_EQ(between.leader == 0, rank0 == "both" || rank0 == "between");
    conditions.insert({one_sender, rank0});
  }
  EXPECT_EQ(conditions, (std::set<std::pair<bool, std::string>>{{true, "both"},
                                                                {true, "inside"},
                                                                {true, "none"},
                                                                {false, "inside"},
                                                                {false, "between"},
                                                                {false, "none"}}));
  const ProbePlan parsed = parse_plan(format_plan(plan.probe));
  EXPECT_EQ(parsed.steps, plan.probe.steps);
}

TEST(NodePlan, of_a_figure_has_the_sizes_of_the_thesis) {
  const NodePlan overlap = plan_figure(cluster(2, 2), request(), PlanFigure::overlap);
  EXPECT_EQ(count(overlap, StepKind::overlap, kNetworkPath), 4);
  EXPECT_EQ(count(overlap, StepKind::overlap, "l3"), 4);
  for (const ProbeStep& step : overlap.probe.steps) {
    if (step.kind != StepKind::overlap) continue;
    EXPECT_EQ(largest_message(step), 80'000'000U);
  }
  const NodePlan mixed = plan_figure(cluster(2, 4), request(), PlanFigure::mixed);
  EXPECT_EQ(count(mixed, StepKind::mixed, kNetworkPath), 6);
  EXPECT_EQ(count(mixed, StepKind::eager, kNetworkPath), 1);
  EXPECT_TRUE(plan_figure(cluster(1, 4), request(), PlanFigure::mixed).steps.empty());
}

TEST(NodePlan, of_one_node_has_nothing_between_nodes) {
  const NodePlan plan = plan_nodes(cluster(1, 2), request());
  EXPECT_EQ(count(plan, StepKind::pingpong, kNetworkPath), 0);
  EXPECT_EQ(count(plan, StepKind::overlap, "l3"), 4);
}

TEST(NodePlan, of_a_setting_has_the_overlap_probe_alone) {
  const NodePlan plan = plan_setting(cluster(2, 1), request(), true);
  EXPECT_TRUE(plan.probe.poll);
  EXPECT_EQ(count(plan, StepKind::overlap, kNetworkPath), 2);
  EXPECT_EQ(plan.steps.size(), 3U) << "and which messages are eager";
}

}  // namespace
}  // namespace plait::measure
