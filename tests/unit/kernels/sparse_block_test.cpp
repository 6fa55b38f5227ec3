// SPDX-License-Identifier: BSD-3-Clause
// Tests of sparse products on one rank: equal bits with every storage, errors.
#include "plait/sparse_block.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/sparse_tiles.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

struct Rows {
  std::vector<std::int64_t> starts{0};
  std::vector<int> columns;
  std::vector<double> values;

  [[nodiscard]] SparseRows<int> view() const { return {starts, columns, values}; }
};

/// Rows of very different lengths: none, all columns, equal ones, random ones.
Rows irregular_rows(int rows, int columns) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> value(-1, 1);
  Rows all;
  for (int row = 0; row < rows; ++row) {
    const double share = row % 7 == 0 ? 0 : row % 53 == 1 ? 1 : row % 3 == 0 ? 0.1 : value(random);
    for (int column = 0; column < columns; ++column) {
      if (row % 3 == 0 ? column % 10 != row % 10 : (value(random) + 1) / 2 > share) continue;
      if (share == 0) continue;
      all.columns.push_back(column);
      all.values.push_back(value(random));
    }
    all.starts.push_back(static_cast<std::int64_t>(all.columns.size()));
  }
  return all;
}

std::vector<double> numbers(int count) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> all(static_cast<std::size_t>(count));
  for (double& one : all) one = value(random);
  return all;
}

TEST(SparseBlock, GivesTheBitsOfSumsByRowWithEveryStorage) {
  constexpr int kRows = 700, kColumns = 300;
  const Rows rows = irregular_rows(kRows, kColumns);
  const std::vector<double> x = numbers(kColumns);
  std::vector<double> expected(kRows, 0.0), once_more;
  const auto add = [&](std::vector<double>& y) {
    for (std::size_t row = 0; row < kRows; ++row) {
      for (auto k = rows.starts[row]; k < rows.starts[row + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        y[row] += rows.values[entry] * x[static_cast<std::size_t>(rows.columns[entry])];
      }
    }
  };
  add(expected);
  once_more = expected;
  add(once_more);
  for (const auto kernel :
       {SparseKernel::crs, SparseKernel::split, SparseKernel::sell, SparseKernel::automatic}) {
    for (const int block : {0, 1, 37, 4096}) {
      for (const int band : {0, 5, 700}) {
        for (const int threads : {1, 3}) {
          SparseOptions options{kernel, block, band, threads, {111, 222}};
          const SparseBlock matrix(kColumns, rows.view(), options);
          EXPECT_EQ(matrix.entries(), static_cast<std::int64_t>(rows.columns.size()));
          std::vector<double> y(kRows, 7.0);
          matrix.multiply(x.data(), y.data());
          EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof(double) * kRows), 0)
              << to_string(kernel) << " " << block << " " << band << " " << threads;
          matrix.add(x.data(), y.data());
          EXPECT_EQ(std::memcmp(y.data(), once_more.data(), sizeof(double) * kRows), 0);
        }
      }
    }
  }
}

TEST(SparseBlock, AllInstructionSetsGiveTheSameBits) {
  constexpr int kRows = 700, kColumns = 300;
  const Rows rows = irregular_rows(kRows, kColumns);
  const std::vector<double> x = numbers(kColumns);
  std::vector<double> values(rows.values.size());
  std::vector<std::uint16_t> columns(rows.columns.size());
  const detail::Entries<std::uint16_t> entries{values.data(), columns.data()};
  detail::Band band{.rows = kRows};
  detail::fill_band(band, rows.view(), {.block_columns = 64, .lanes = detail::kLanes}, entries);
  std::vector<double> expected;
  for (const detail::InstructionSet set : detail::instruction_sets()) {
    std::vector<double> y(kRows, 1.0);
    detail::sparse_functions(set).in_lanes(
        {band.tiles.data(), band.tiles.data() + band.tiles.size(), band.groups.data(),
         band.row_numbers.data(), values.data(), columns.data(), x.data(), y.data()});
    if (expected.empty()) expected = y;
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof(double) * kRows), 0)
        << detail::name_of(set);
  }
}

TEST(SparseBlock, BandsBeginAtCutsAndCoverAllRows) {
  const Rows rows = irregular_rows(100, 40);
  const SparseBlock matrix(40, rows.view(), {SparseKernel::sell, 0, 30, 1, {40, 50}});
  std::vector<int> first;
  for (int band = 0; band <= matrix.bands(); ++band) first.push_back(matrix.first_row(band));
  EXPECT_EQ(first, (std::vector<int>{0, 30, 40, 50, 80, 100}));
}

TEST(SparseBlock, ChoosesGroupsOfRowsOnlyIfTheyAreOfEqualLength) {
  Rows equal, different;
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 64; ++column) {
      if (column < 5) equal.columns.push_back(column);
      if (column <= row) different.columns.push_back(column);
    }
    equal.starts.push_back(static_cast<std::int64_t>(equal.columns.size()));
    different.starts.push_back(static_cast<std::int64_t>(different.columns.size()));
  }
  equal.values.assign(equal.columns.size(), 1);
  different.values.assign(different.columns.size(), 1);
  EXPECT_EQ(SparseBlock(64, equal.view()).kernel(), SparseKernel::sell);
  EXPECT_EQ(SparseBlock(64, different.view()).kernel(), SparseKernel::split);
}

TEST(SparseBlock, AcceptsNoRowsAndRefusesDamagedOnes) {
  const Rows none;
  const SparseBlock empty(0, none.view());
  empty.multiply(nullptr, nullptr);
  EXPECT_EQ(empty.rows(), 0);

  Rows rows;
  rows.starts = {0, 2};
  rows.columns = {1, 1};
  rows.values = {1, 1};
  EXPECT_THROW(SparseBlock(2, rows.view()), Error);
  rows.columns = {0, 2};
  EXPECT_THROW(SparseBlock(2, rows.view()), Error);
  EXPECT_NO_THROW(SparseBlock(3, rows.view()));
  rows.starts = {0, 3};
  EXPECT_THROW(SparseBlock(3, rows.view()), Error);
  EXPECT_THROW(SparseBlock(0, none.view(), {SparseKernel::sell, 70000}), Error);
  EXPECT_THROW(parse_sparse_kernel("ellpack"), Error);
  EXPECT_EQ(parse_sparse_kernel("split"), SparseKernel::split);
}

}  // namespace
}  // namespace plait
