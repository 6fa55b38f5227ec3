// SPDX-License-Identifier: BSD-3-Clause
// Tests of partitions of the rows of a sparse matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "plait/error.hpp"
#include "plait/sparse_matrix.hpp"

namespace plait {
namespace {

/// A square grid with its rows in random order.
TEST(PartitionRows, CutsFewEntriesOfAGrid) {
  constexpr int kSide = 20, kParts = 4;
  std::vector<int> place(kSide * kSide);
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = static_cast<int>(i);
  std::shuffle(place.begin(), place.end(), std::mt19937(3));
  std::vector<std::vector<int>> pattern(place.size());
  const auto connect = [&](int a, int b) {
    const int u = place[static_cast<std::size_t>(a)], v = place[static_cast<std::size_t>(b)];
    pattern[static_cast<std::size_t>(u)].push_back(v);
    pattern[static_cast<std::size_t>(v)].push_back(u);
  };
  for (int i = 0; i < kSide * kSide; ++i) {
    if (i % kSide + 1 < kSide) connect(i, i + 1);
    if (i + kSide < kSide * kSide) connect(i, i + kSide);
  }
  std::vector<std::int64_t> starts{0};
  std::vector<int> columns;
  for (auto& row : pattern) {
    std::sort(row.begin(), row.end());
    columns.insert(columns.end(), row.begin(), row.end());
    starts.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const std::vector<int> part = partition_rows({starts, columns, {}}, kParts);
  int cut = 0;
  for (std::size_t row = 0; row < pattern.size(); ++row) {
    for (const int column : pattern[row])
      cut += part[row] != part[static_cast<std::size_t>(column)];
  }
  for (int one = 0; one < kParts; ++one) {
    EXPECT_EQ(std::count(part.begin(), part.end(), one), kSide * kSide / kParts);
  }
  // Four squares cut 40 pairs, contiguous rows of a random order about 570.
  EXPECT_LE(cut / 2, 60);
  columns[0] = columns[1];
  EXPECT_THROW(partition_rows({starts, columns, {}}, kParts), Error);
}

}  // namespace
}  // namespace plait
