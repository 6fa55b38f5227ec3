// SPDX-License-Identifier: BSD-3-Clause
// Tests of slots: the level where two meet, and the slots of a node.
#include "mapping/slots.hpp"

#include <gtest/gtest.h>

#include <map>

#include "machine/open_machine.hpp"
#include "plait/error.hpp"

namespace plait::mapping {
namespace {

/// The number of slots of `cores` cores in each group of a level.
std::map<int, int> slots_in_groups(const machine::Topology& node, int cores, Level level) {
  std::map<int, int> result;
  for (const Slot& slot : slots_of_node(node, cores, {})) {
    ++result[slot[static_cast<std::size_t>(level)]];
  }
  return result;
}

machine::Topology machine(const std::string& spec) {
  return machine::open_machine(spec).topology;
}

TEST(Slots, MeetOnTheDeepestSharedLevel) {
  EXPECT_EQ(meeting_level({0, 0, 0, 0, 0}, {1, 1, 1, 1, 1}), kLevels);
  EXPECT_EQ(meeting_level({0, 0, 0, 0, 0}, {0, 1, 1, 1, 1}), 0u);
  EXPECT_EQ(meeting_level({0, 0, 0, 0, 0}, {0, 0, 1, 1, 1}), 1u);
  EXPECT_EQ(meeting_level({0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}), 3u);
  EXPECT_EQ(meeting_level({0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}), 4u);
}

TEST(Slots, OfNodesShareTheNodeOnly) {
  const Slots slots = slots_on_nodes({3, 3, 7});
  ASSERT_EQ(slots.size(), 3);
  EXPECT_EQ(slots.node_of(2), 7);
  EXPECT_EQ(meeting_level(slots.of[0], slots.of[1]), 0u);
  EXPECT_EQ(meeting_level(slots.of[1], slots.of[2]), kLevels);
}

TEST(Slots, StayInsideCachesAndLeaveTheRestIdle) {
  const machine::Topology node = machine("synthetic:pack:2 [numa] l3:2 core:8 pu:2");
  EXPECT_EQ(slots_of_node(node, 1, {}).size(), 32u);
  EXPECT_EQ(slots_in_groups(node, 4, Level::cache),
            (std::map<int, int>{{0, 2}, {1, 2}, {2, 2}, {3, 2}}));
  // Slots of 3 cores fit twice into a cache of 8 cores; two cores of each cache stay idle.
  EXPECT_EQ(slots_in_groups(node, 3, Level::cache),
            (std::map<int, int>{{0, 2}, {1, 2}, {2, 2}, {3, 2}}));
  // Slots of 12 cores exceed a cache: one per package.
  EXPECT_EQ(slots_in_groups(node, 12, Level::package), (std::map<int, int>{{0, 1}, {1, 1}}));
  EXPECT_EQ(slots_of_node(node, 32, {}).size(), 1u);
  EXPECT_TRUE(slots_of_node(node, 33, {}).empty());
}

TEST(Slots, FitIntoCachesOfUnequalSize) {
  const machine::Topology node = machine(PLAIT_TEST_DATA "/machines/uneven-l3.xml");
  int cores = 0;
  for (const auto& [cache, slots] : slots_in_groups(node, 1, Level::cache)) cores += slots;
  EXPECT_EQ(cores, static_cast<int>(node.allowed_cores().size()));
  for (const auto& [cache, in_one] : slots_in_groups(node, 1, Level::cache)) {
    const std::map<int, int> of_eight = slots_in_groups(node, 8, Level::cache);
    const auto found = of_eight.find(cache);
    EXPECT_EQ(found == of_eight.end() ? 0 : found->second, in_one / 8);
  }
}

TEST(Slots, BeginWithTheNumbersGiven) {
  const std::vector<Slot> slots =
      slots_of_node(machine("synthetic:pack:2 [numa] core:2 pu:1"), 1, {1, 4, 6, 8, 9});
  ASSERT_EQ(slots.size(), 4u);
  EXPECT_EQ(slots.front()[0], 1);
  EXPECT_EQ(slots.front()[1], 4);
  EXPECT_EQ(slots.back()[1], 5);
  EXPECT_EQ(slots.back()[4], 12);
}

TEST(Slots, NeedACore) {
  EXPECT_THROW(slots_of_node(machine("synthetic:core:2 pu:1"), 0, {}), Error);
}

}  // namespace
}  // namespace plait::mapping
