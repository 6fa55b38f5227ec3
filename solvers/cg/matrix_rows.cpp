// SPDX-License-Identifier: BSD-3-Clause
// Sorts entries by rows, and checks the rows.
#include "matrix_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace plait::cg {
namespace {

/// "row 3", as files count.
std::string row_name(const MatrixRows& rows, std::size_t row) {
  return "row " + std::to_string(static_cast<std::size_t>(rows.first) + row + 1);
}

std::string column_name(int column) {
  return ", column " + std::to_string(column + 1);
}

}  // namespace

MatrixRows rows_of(const std::vector<MatrixEntry>& entries, int first, int count) {
  MatrixRows rows;
  rows.first = first;
  rows.starts.assign(static_cast<std::size_t>(count) + 1, 0);
  const auto row_of = [first](const MatrixEntry& entry) {
    return static_cast<std::size_t>(entry.row - first);
  };
  for (const MatrixEntry& entry : entries) ++rows.starts[row_of(entry) + 1];
  for (std::size_t row = 0; row + 1 < rows.starts.size(); ++row) {
    rows.starts[row + 1] += rows.starts[row];
  }
  std::vector<std::pair<int, double>> sorted(entries.size());
  std::vector<std::int64_t> next(rows.starts.begin(), rows.starts.end() - 1);
  for (const MatrixEntry& entry : entries) {
    sorted[static_cast<std::size_t>(next[row_of(entry)]++)] = {entry.column, entry.value};
  }
  rows.columns.resize(sorted.size());
  rows.values.resize(sorted.size());
  for (std::size_t row = 0; row + 1 < rows.starts.size(); ++row) {
    const auto begin = sorted.begin() + rows.starts[row];
    const auto end = sorted.begin() + rows.starts[row + 1];
    std::sort(begin, end, [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto entry = begin; entry != end; ++entry) {
      const auto place = static_cast<std::size_t>(entry - sorted.begin());
      rows.columns[place] = entry->first;
      rows.values[place] = entry->second;
    }
  }
  return rows;
}

void check_rows(const std::string& path, const MatrixRows& rows) {
  for (std::size_t row = 0; row + 1 < rows.starts.size(); ++row) {
    double diagonal = 0;
    const auto first = static_cast<std::size_t>(rows.starts[row]);
    for (std::size_t k = first; k < static_cast<std::size_t>(rows.starts[row + 1]); ++k) {
      const int column = rows.columns[k];
      if (k > first && column == rows.columns[k - 1]) {
        throw Error(path, row_name(rows, row) + column_name(column) + " is there twice",
                    TextLines::kDamaged);
      }
      if (column == rows.first + static_cast<int>(row)) diagonal = rows.values[k];
    }
    if (diagonal <= 0) {
      throw Error(
          path,
          "not positive definite: the diagonal of " + row_name(rows, row) + " is not positive",
          "give a positive definite matrix");
    }
  }
}

void check_symmetry(const std::string& path, const MatrixRows& rows, const MatrixRows& transposed) {
  constexpr double kRounding = 1e-12;
  for (std::size_t row = 0; row + 1 < rows.starts.size(); ++row) {
    auto own = static_cast<std::size_t>(rows.starts[row]);
    auto other = static_cast<std::size_t>(transposed.starts[row]);
    const auto end = static_cast<std::size_t>(rows.starts[row + 1]);
    const auto other_end = static_cast<std::size_t>(transposed.starts[row + 1]);
    while (own < end || other < other_end) {
      // The next column of either; the other may have no entry there.
      const bool has_own =
          own < end && (other == other_end || rows.columns[own] <= transposed.columns[other]);
      const bool has_other =
          other < other_end && (own == end || transposed.columns[other] <= rows.columns[own]);
      const int column = has_own ? rows.columns[own] : transposed.columns[other];
      const double value = has_own ? rows.values[own++] : 0;
      const double transposed_value = has_other ? transposed.values[other++] : 0;
      if (std::abs(value - transposed_value) >
          kRounding * std::max(std::abs(value), std::abs(transposed_value))) {
        throw Error(path, "not symmetric: " + row_name(rows, row) + column_name(column),
                    "give a symmetric matrix");
      }
    }
  }
}

}  // namespace plait::cg
