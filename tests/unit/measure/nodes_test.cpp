// SPDX-License-Identifier: BSD-3-Clause
// Nodes are found from the places of ranks; ranks fill them package by package or in turn.
#include "measure/nodes.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"

namespace plait::measure {
namespace {

/// Two packages of two cores with two hardware threads each, numbered as Linux often does.
ProbeOutput::Place two_packages(const std::string& host) {
  return {host,
          {{{0, 0, 0}},
           {{1, 0, 1}},
           {{2, 1, 0}},
           {{3, 1, 1}},
           {{4, 0, 0}},
           {{5, 0, 1}},
           {{6, 1, 0}},
           {{7, 1, 1}}}};
}

TEST(Nodes, have_one_hardware_thread_of_each_core_package_by_package) {
  const std::vector<NodePlace> nodes =
      nodes_of({two_packages("n0"), two_packages("n1"), two_packages("n0")});
  ASSERT_EQ(nodes.size(), 2U) << "ranks of one node are one node";
  EXPECT_EQ(nodes[0].name, "n0");
  EXPECT_EQ(nodes[1].cores, (std::vector<NodeCore>{{0, 0, 0}, {2, 1, 0}, {1, 0, 1}, {3, 1, 1}}));
}

TEST(Nodes, without_core_numbers_have_all_their_threads) {
  const std::vector<NodePlace> nodes = nodes_of({{"n0", {{{3, -1, -1}}, {{4, -1, -1}}}}});
  EXPECT_EQ(nodes[0].cores, (std::vector<NodeCore>{{3, -1, -1}, {4, -1, -1}}));
}

TEST(Nodes, are_filled_package_by_package_or_all_in_turn) {
  const NodePlace node = nodes_of({two_packages("n0")}).front();
  EXPECT_EQ(fill(node, 2, Filling::packed), (std::vector<int>{0, 1}));
  EXPECT_EQ(fill(node, 2, Filling::spread), (std::vector<int>{0, 2}));
  EXPECT_EQ(fill(node, 4, Filling::spread), (std::vector<int>{0, 2, 1, 3}));
  EXPECT_EQ(most_on_a_package(node, {0, 1}), 2);
  EXPECT_EQ(most_on_a_package(node, {0, 2}), 1);
}

TEST(Nodes, of_an_option_are_named_once) {
  EXPECT_EQ(parse_nodes("n0,n1,"), (std::vector<std::string>{"n0", "n1"}));
  EXPECT_THROW(parse_nodes(""), Error);
  EXPECT_THROW(parse_nodes("n0,n1,n0"), Error);
}

TEST(Nodes, of_slurm_need_a_job) {
  ::unsetenv("SLURM_JOB_NODELIST");
  EXPECT_THROW(parse_nodes("slurm"), Error);
}

}  // namespace
}  // namespace plait::measure
