// SPDX-License-Identifier: BSD-3-Clause
// The cores that are measured, and notes about uneven pairs.
#include "measure/measure.hpp"

#include <gtest/gtest.h>

#include "machine/discover.hpp"
#include "plait/error.hpp"

namespace plait::measure {
namespace {

TEST(CoresToMeasure, are_all_allowed_ones_unless_some_are_requested) {
  machine::Topology topology = machine::discover_synthetic("pack:2 core:4 pu:2").topology;
  std::vector<std::string> notes;
  EXPECT_EQ(cores_to_measure(topology, {}, notes).size(), 8U);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(cores_to_measure(topology, machine::CpuSet::parse("1,6-7"), notes),
            (std::vector<int>{1, 6, 7}));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "measured on cores 1,6-7");
}

TEST(CoresToMeasure, refuses_cores_that_are_not_allowed) {
  machine::Topology topology = machine::discover_synthetic("pack:2 core:4 pu:2").topology;
  topology.allowed_pus = machine::CpuSet::parse("0-5");
  std::vector<std::string> notes;
  EXPECT_EQ(cores_to_measure(topology, {}, notes), (std::vector<int>{0, 1, 2}));
  EXPECT_THROW(cores_to_measure(topology, machine::CpuSet::parse("2-3"), notes), Error);
  EXPECT_THROW(cores_to_measure(topology, machine::CpuSet::parse(""), notes), Error);
}

TEST(CoresToMeasure, are_limited_by_the_quota_of_the_control_group_with_a_note) {
  machine::Topology topology = machine::discover_synthetic("pack:1 core:8 pu:1").topology;
  topology.cgroup_quota_cores = 2.5;
  std::vector<std::string> notes;
  EXPECT_EQ(cores_to_measure(topology, {}, notes), (std::vector<int>{0, 1}));
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("measured on 2 of 8 cores"), std::string::npos) << notes[0];
}

TEST(UnevenPairs, are_noted_with_the_nearest_and_the_farthest) {
  const auto pair = [](int a, int b, double us) {
    machine::PairResult result;
    result.pair = {a, b};
    result.bare_line_us = machine::Statistic{us, us, us, us, 6, {}};
    return result;
  };
  machine::Path path;
  path.name = "same package";
  path.by_pair = {pair(0, 1, 0.10), pair(0, 2, 0.05), pair(0, 3, 0.06)};
  EXPECT_EQ(uneven_pairs_note(path).substr(0, 147),
            "the pairs of the path \"same package\" differ: a cache line takes 50.0 ns between "
            "cores 0 and 2, but 100 ns between 0 and 1; the system may hide how ");
  path.by_pair = {pair(0, 1, 0.07), pair(0, 2, 0.05)};
  EXPECT_EQ(uneven_pairs_note(path), "");
  EXPECT_EQ(uneven_pairs_note({}), "");
}

}  // namespace
}  // namespace plait::measure
