// SPDX-License-Identifier: BSD-3-Clause
// The results of ranks on several nodes become the figures of the machine file.
#include "measure/node_results.hpp"

#include <gtest/gtest.h>

#include "measure/variants.hpp"

namespace plait::measure {
namespace {

NodePlan plan_of(const ProbeStep& step, const std::string& path) {
  NodePlan plan;
  ProbeStep eager{StepKind::eager, 1, {{0, 1}}};
  eager.sizes = {1024, 1048576};
  plan.probe.steps = {eager, step};
  NodeStep what;
  what.path = path;
  plan.steps = {what, what};
  return plan;
}

ProbeOutput cells_of(const std::vector<ProbeCell>& cells) {
  ProbeOutput output;
  output.cells = {{0, 1024, 0, {1, 1}}, {0, 1048576, 0, {0, 0}}};
  output.cells.insert(output.cells.end(), cells.begin(), cells.end());
  return output;
}

TEST(NodeResults, overlap_has_message_work_and_both) {
  ProbeStep step{StepKind::overlap, 1, {{0, 1}}};
  step.what = "isend-memory";
  step.sizes = {1024, 1048576};
  machine::Measured measured;
  ProbeOutput output = cells_of({{1, 1048576, overlap_variant::transfer, {9000}},
                                 {1, 1048576, overlap_variant::beside(0), {9500, 9700}, 1},
                                 {1, 1048576, overlap_variant::beside(2), {18600}, 2},
                                 {1, 1048576, overlap_variant::work(2), {9100}},
                                 {1, 0, overlap_variant::threads, {3}},
                                 {1, 1024, overlap_variant::transfer, {50}},
                                 {1, 1024, overlap_variant::beside(0), {3}},
                                 {1, 1024, overlap_variant::beside(4), {99}}});
  output.sentinels = {{1, 1.25}};
  add_node_figures(plan_of(step, kNetworkPath), output, "NAME=1", measured);
  ASSERT_EQ(measured.overlap.size(), 3U) << "an amount whose work is missing is left out";
  const machine::OverlapPoint& eager = measured.overlap[0];
  EXPECT_EQ(eager.protocol, "eager");
  EXPECT_DOUBLE_EQ(eager.alone_us, 50) << "it is on its way after its send has ended";
  const machine::OverlapPoint& long_message = measured.overlap[2];
  EXPECT_EQ(long_message.protocol, "rendezvous");
  EXPECT_EQ(long_message.operation, "isend");
  EXPECT_EQ(long_message.work, "memory");
  EXPECT_EQ(long_message.setting, "NAME=1");
  EXPECT_DOUBLE_EQ(long_message.work_us, 9100);
  EXPECT_DOUBLE_EQ(long_message.alone_us, 9600);
  EXPECT_DOUBLE_EQ(long_message.alone_range_us[1], 9700);
  EXPECT_EQ(long_message.disturbed, 3);
  EXPECT_EQ(long_message.threads, 3);
  EXPECT_DOUBLE_EQ(long_message.sentinel_ns, 1.25);
  EXPECT_DOUBLE_EQ(long_message.total_us.median, 18600);
}

TEST(NodeResults, mixed_messages_need_all_three_figures) {
  ProbeStep step{StepKind::mixed, 1, {{0, 1}, {0, 2}}};
  step.sizes = {1024, 1048576};
  step.inside_bytes = 40 << 20;
  machine::Measured measured;
  NodePlan plan = plan_of(step, kNetworkPath);
  plan.steps[1].rank0 = "both";
  plan.steps[1].across_sockets = true;
  add_node_figures(plan,
                   cells_of({{1, 1024, mixed_variant::inter, {60}},
                             {1, 1048576, mixed_variant::inter, {9000}},
                             {1, 1048576, mixed_variant::intra, {8800}},
                             {1, 1048576, mixed_variant::both, {9300}}}),
                   {}, measured);
  ASSERT_EQ(measured.mixed.size(), 1U);
  EXPECT_EQ(measured.mixed[0].senders, 1);
  EXPECT_EQ(measured.mixed[0].protocol, "rendezvous");
  EXPECT_EQ(measured.mixed[0].intra_bytes, 40U << 20);
  EXPECT_DOUBLE_EQ(measured.mixed[0].both_us.median, 9300);
  EXPECT_EQ(measured.mixed[0].rank0, "both");
  EXPECT_TRUE(measured.mixed[0].across_sockets);
}

TEST(NodeResults, the_cost_of_a_message_needs_both_sides) {
  const ProbeStep step{StepKind::overhead, 1, {{0, 1}}};
  machine::Measured measured;
  add_node_figures(plan_of(step, kNetworkPath),
                   cells_of({{1, 64, overhead_variant::send, {1}},
                             {1, 64, overhead_variant::receive, {2}},
                             {1, 512, overhead_variant::send, {1}}}),
                   {}, measured);
  ASSERT_EQ(measured.paths.size(), 1U);
  ASSERT_EQ(measured.paths[0].mpi_overheads.size(), 1U);
  EXPECT_EQ(measured.paths[0].mpi_overheads[0].bytes, 64U);
}

TEST(NodeResults, all_to_all_is_what_one_process_sends) {
  ProbeStep step{StepKind::collective, 1, {}};
  step.what = "alltoall";
  step.ranks = {0, 1, 2, 3};
  NodePlan plan = plan_of(step, {});
  plan.steps[1].nodes = 2;
  plan.steps[1].per_node = 2;
  plan.steps[1].placement = "spread";
  machine::Measured measured;
  add_node_figures(plan, cells_of({{1, 1000, 0, {10}}}), {}, measured);
  ASSERT_EQ(measured.all_to_all.size(), 1U);
  EXPECT_DOUBLE_EQ(measured.all_to_all[0].bandwidth_gbs.median, 0.3);
  EXPECT_TRUE(measured.collectives.empty()) << "collectives are those of packed ranks";
  plan.steps[1].placement = "packed";
  add_node_figures(plan, cells_of({{1, 1000, 0, {10}}}), {}, measured);
  ASSERT_EQ(measured.collectives.size(), 1U);
  EXPECT_EQ(measured.collectives[0].ranks, 4);
}

TEST(NodeResults, points_between_ranks_go_to_their_path_and_can_be_removed) {
  machine::Measured measured;
  const ProbeStep step{StepKind::pingpong, 1, {{0, 1}}};
  add_node_figures(plan_of(step, kNetworkPath), cells_of({{1, 1000, 0, {10}}, {7, 8, 0, {1}}}), {},
                   measured);
  ASSERT_EQ(measured.paths.size(), 1U);
  EXPECT_EQ(measured.paths[0].id, kNetworkPath);
  ASSERT_EQ(measured.paths[0].mpi_pingpong.size(), 1U);
  EXPECT_DOUBLE_EQ(measured.paths[0].mpi_pingpong[0].bandwidth_gbs, 0.1);
  measured.paths.emplace_back();
  remove_node_figures(measured);
  EXPECT_EQ(measured.paths.size(), 1U) << "other paths stay";
}

}  // namespace
}  // namespace plait::measure
