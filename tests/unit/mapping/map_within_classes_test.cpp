// SPDX-License-Identifier: BSD-3-Clause
// Processes of different classes do not get each other's slots.
#include "mapping/search/map_within_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace plait::mapping {
namespace {

/// Six processes in pairs that talk: 0-1, 2-3, 4-5. Nodes of three slots.
MappingRequest pairs(const std::vector<int>& node_of_slot) {
  MappingRequest request;
  request.goal = Goal::cut;
  std::vector<double> bytes(36, 0);
  for (const auto& [a, b] : {std::pair{0, 1}, {2, 3}, {4, 5}}) {
    bytes[static_cast<std::size_t>(a * 6 + b)] = bytes[static_cast<std::size_t>(b * 6 + a)] = 1e6;
  }
  request.graph = graph_of(bytes, 6);
  request.slots = slots_on_nodes(node_of_slot);
  return request;
}

TEST(MapWithinClasses, EachProcessKeepsToSlotsOfItsClass) {
  // 0-3 are of one class and talk across nodes; 4 and 5, of the other, do as well.
  const std::vector<int> class_of{0, 0, 0, 0, 1, 1};
  const MappingResult result = map_within_classes(pairs({0, 1, 0, 1, 0, 1}), class_of);
  EXPECT_FALSE(result.nothing_to_gain);
  EXPECT_EQ(result.method, "within parts");
  EXPECT_EQ(result.before.cut_pairs, 3);
  EXPECT_EQ(result.after.cut_pairs, 1) << "4 and 5 have only two slots, on different nodes";
  std::vector<int> sorted = result.slot_of;
  for (std::size_t p = 0; p < sorted.size(); ++p) {
    EXPECT_EQ(class_of[static_cast<std::size_t>(sorted[p])], class_of[p]) << "process " << p;
  }
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, (std::vector<int>{0, 1, 2, 3, 4, 5}));
}

TEST(MapWithinClasses, KeepsTheOrderWhereNothingIsBetter) {
  const MappingResult result = map_within_classes(pairs({0, 0, 0, 1, 1, 1}), {0, 0, 0, 1, 1, 1});
  EXPECT_TRUE(result.nothing_to_gain);
  EXPECT_EQ(result.slot_of, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(result.before.cut_pairs, result.after.cut_pairs);
}

TEST(MapWithinClasses, ProcessesAreWhereTheRequestHasThem) {
  MappingRequest request = pairs({0, 1, 0, 1, 0, 1});
  request.now = {1, 0, 3, 2, 5, 4};
  const MappingResult result = map_within_classes(request, {0, 0, 0, 0, 1, 1});
  EXPECT_EQ(result.after.cut_pairs, 1);
  EXPECT_TRUE(result.slot_of[4] >= 4 && result.slot_of[5] >= 4);
}

}  // namespace
}  // namespace plait::mapping
