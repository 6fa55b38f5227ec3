// SPDX-License-Identifier: BSD-3-Clause
// Products of a distributed sparse matrix have the same bits under every schedule, with every
// storage and for any number of threads, and fit those of one rank; wrong rows are refused on all
// ranks. Runs on any number of ranks.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "checks.hpp"
#include "plait/environment.hpp"
#include "plait/sparse_matrix.hpp"

namespace {

using namespace plait;

constexpr std::int64_t kSize = 900;

/// The entry in a row and a column; 0: none. A band, and a few entries far from it.
double entry(std::int64_t row, std::int64_t column) {
  const std::int64_t distance = row < column ? column - row : row - column;
  if (distance > 4 && (row * column) % 97 != 5) return 0;
  return std::sin(static_cast<double>(row * column + 1)) + (distance == 0 ? 9 : 0);
}

struct Rows {
  std::vector<std::int64_t> starts{0}, columns;
  std::vector<double> values;

  Rows(std::int64_t first, std::int64_t end) {
    for (std::int64_t row = first; row < end; ++row) {
      for (std::int64_t column = 0; column < kSize; ++column) {
        if (entry(row, column) == 0) continue;
        columns.push_back(column);
        values.push_back(entry(row, column));
      }
      starts.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
  [[nodiscard]] SparseRows<std::int64_t> view() const { return {starts, columns, values}; }
};

/// First row of a rank: the first one has more than the others, and the last none if there are
/// more than two.
std::int64_t first_row(int rank, int ranks) {
  if (ranks > 2 && rank >= ranks - 1) return kSize;
  const int sharing = ranks > 2 ? ranks - 1 : ranks;
  return rank == 0 ? 0 : kSize / 2 + kSize / 2 * (rank - 1) / std::max(1, sharing - 1);
}

void compare(test::Checks& checks, int rank, int ranks) {
  const std::int64_t first = first_row(rank, ranks);
  const std::int64_t end = rank + 1 == ranks ? kSize : first_row(rank + 1, ranks);
  const Rows rows(first, end);
  std::vector<double> x, expected;
  for (std::int64_t row = first; row < end; ++row) {
    x.push_back(std::cos(static_cast<double>(row)));
    double sum = 0;
    for (std::int64_t column = 0; column < kSize; ++column) {
      sum += entry(row, column) * std::cos(static_cast<double>(column));
    }
    expected.push_back(sum);
  }
  std::vector<double> bits;
  for (const auto kind : {ScheduleKind::blocking, ScheduleKind::nonblocking,
                          ScheduleKind::comm_thread, ScheduleKind::automatic}) {
    for (const auto kernel : {SparseKernel::crs, SparseKernel::automatic}) {
      for (const int threads : {1, 3}) {
        SparseMatrix matrix(MPI_COMM_WORLD, rows.view(), kind, {kernel, 64, 50, threads, {}});
        const std::string what = to_string(kind) + ", " + to_string(kernel) + ", " +
                                 std::to_string(threads) + " threads";
        checks.expect(matrix.size() == kSize && matrix.first_row() == first, what + ": size");
        const std::vector<double> diagonal = matrix.diagonal();
        std::vector<double> y(x.size());
        // More than the products that automatic measures.
        for (int turn = 0; turn < (kind == ScheduleKind::automatic ? 12 : 2); ++turn) {
          std::fill(y.begin(), y.end(), 5.0);
          matrix.multiply(x.data(), y.data());
          if (bits.empty()) bits = y;
          const std::size_t bytes = y.size() * sizeof(double);  // 0 on a rank without rows
          checks.expect(bytes == 0 || std::memcmp(bits.data(), y.data(), bytes) == 0,
                        what + ": bits");
        }
        checks.expect(matrix.schedule().kind != ScheduleKind::automatic, what + ": chosen");
        for (std::size_t i = 0; i < y.size(); ++i) {
          checks.expect(std::abs(y[i] - expected[i]) < 1e-11, what + ": value");
          const auto row = first + static_cast<std::int64_t>(i);
          checks.expect(diagonal[i] == entry(row, row), what + ": diagonal");
        }
      }
    }
  }
}

template <class Action>
void expect_refusal(test::Checks& checks, const std::string& part, const Action& action) {
  std::string message;
  try {
    action();
  } catch (const CollectiveError& error) {
    message = error.what();
  }
  checks.expect(message.find(part) != std::string::npos, part + ": \"" + message + "\"");
}

void refuse(test::Checks& checks, int rank, int ranks) {
  const std::vector<std::int64_t> starts{0, 1};
  const std::vector<double> values{1};
  const std::vector<std::int64_t> beyond{rank + 1 == ranks ? ranks : 0};
  expect_refusal(checks, "give a square matrix", [&] {
    const SparseMatrix matrix(MPI_COMM_WORLD, {starts, beyond, values}, ScheduleKind::blocking);
  });
  const std::vector<std::int64_t> own{rank};
  expect_refusal(checks, "use blocking, nonblocking, comm_thread or automatic", [&] {
    const SparseMatrix matrix(MPI_COMM_WORLD, {starts, own, values}, ScheduleKind::tasks);
  });
  const std::vector<std::int64_t> two{0, 2}, same{rank, rank};
  const std::vector<double> twice{1, 1};
  const std::vector<std::int64_t> backwards{0, 2, 1};
  expect_refusal(checks, "do not fit its entries", [&] {
    const SparseMatrix matrix(MPI_COMM_WORLD, {backwards, own, values}, ScheduleKind::blocking);
  });
  expect_refusal(checks, "out of order", [&] {
    const SparseMatrix matrix(MPI_COMM_WORLD, {two, same, twice}, ScheduleKind::blocking);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const Environment environment(argc, argv);
  return guarded("product_test", [&] {
    test::Checks checks;
    compare(checks, environment.rank(), environment.size());
    refuse(checks, environment.rank(), environment.size());
    return checks.finish("sparse products");
  });
}
