// SPDX-License-Identifier: BSD-3-Clause
// Loops over elements and lines of the array of a rank.
#include "plait/transpose_array.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plait {
namespace {

/// The value of an element with these indices.
int value_of(const Long3& at) {
  return static_cast<int>(100 * at[0] + 10 * at[1] + at[2]);
}

/// Indices 4 and 5 along y of 3 x 9 x 2, with z first in memory and rows of 3 elements.
TransposeArray cut_along_y() {
  return {1, {4, 6}, {3, 2, 2}, {3, 9, 1}, 18, 0};
}

TEST(TransposeArray, VisitsEachElementWithItsIndices) {
  std::vector<int> data = cut_along_y().zeros<int>();
  cut_along_y().for_each(data.data(), [](int& value, const Long3& at) { value = value_of(at); });
  const std::vector<int> expected{40, 41, 0, 140, 141, 0, 240, 241, 0,
                                  50, 51, 0, 150, 151, 0, 250, 251, 0};
  EXPECT_EQ(data, expected);
}

TEST(TransposeArray, VisitsLinesOfSomePlanesInTheOrderOfMemory) {
  std::vector<int> data(18);
  std::vector<int> first, position;
  cut_along_y().for_each_line(data.data(), 1, {1, 3},
                              [&](const int* line, std::int64_t stride, const Long3& at) {
                                EXPECT_EQ(stride, 9);
                                position.push_back(static_cast<int>(line - data.data()));
                                first.push_back(value_of(at));
                              });
  EXPECT_EQ(position, (std::vector<int>{3, 4, 6, 7}));
  EXPECT_EQ(first, (std::vector<int>{140, 141, 240, 241}));
}

TEST(TransposeArray, CutsLinesAlongTheChunkAxisToThePlanes) {
  std::vector<int> data(18), position;
  const auto visit = [&](const int* line, std::int64_t, const Long3& at) {
    position.push_back(static_cast<int>(line - data.data()));
    EXPECT_EQ(at[0], 2);
  };
  cut_along_y().for_each_line(data.data(), 0, {2, 3}, visit);
  EXPECT_EQ(position, (std::vector<int>{6, 7, 15, 16}));
  position.clear();
  cut_along_y().for_each_line(data.data(), 0, {2, 2}, visit);
  EXPECT_TRUE(position.empty());
}

TEST(TransposeArray, HasNoLinesWithoutElements) {
  TransposeArray none = cut_along_y();
  none.own = {4, 4};
  none.extents[1] = 0;
  const auto fails = [](const auto&...) { FAIL(); };
  int element = 0;
  for (const int axis : {0, 1, 2}) none.for_each_line(&element, axis, fails);
  none.for_each(&element, fails);
}

}  // namespace
}  // namespace plait
