// SPDX-License-Identifier: BSD-3-Clause
// Several Jacobi sweeps at once give the same bits as single sweeps, on one rank and with wide
// halos.
#include "plait/temporal_jacobi.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "kernels/plain_jacobi.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

using testing::for_each_cell;
using testing::plain_update;
using testing::randomize;

/// The boundary at both ends of an axis of the whole problem.
enum class Ends { fixed, mirror, mirror_low, periodic };

/// A problem on one array. Ghosts of mirrored and periodic sides are filled before each sweep.
struct Whole {
  Int3 cells;
  std::array<Ends, 3> ends;
  Field<double> now;
  Field<double> next;
  Field<double> g;

  Whole(const Int3& cells_, const std::array<Ends, 3>& ends_, std::mt19937& random)
      : cells(cells_), ends(ends_), now(cells, 1), next(cells, 1), g(cells, 0) {
    randomize(now, random);
    randomize(g, random);
    testing::copy(now, next);
  }

  [[nodiscard]] bool mirrored(std::size_t side) const {
    const Ends at = ends[side / 2];
    return at == Ends::mirror || (at == Ends::mirror_low && side % 2 == 0);
  }

  void sweep(bool poisson) {
    for_each_cell(now.with_ghosts(), [&](int i, int j, int k) {
      Int3 cell{i, j, k};
      bool filled = false;
      for (std::size_t d = 0; d < 3; ++d) {
        if (cell[d] >= 0 && cell[d] < cells[d]) continue;
        if (ends[d] == Ends::periodic) {
          cell[d] = (cell[d] + cells[d]) % cells[d];
        } else if (mirrored(2 * d + (cell[d] < 0 ? 0 : 1))) {
          cell[d] = cell[d] < 0 ? 0 : cells[d] - 1;
        } else {
          return;
        }
        filled = true;
      }
      if (filled) now(i, j, k) = now(cell[0], cell[1], cell[2]);
    });
    plain_update(now, next, now.own(), poisson ? &g : nullptr);
    std::swap(now, next);
  }
};

/// Copies the part `own` of a problem, with ghosts as an exchange would fill them.
void take_part(const Field<double>& whole, const std::array<Ends, 3>& ends, const Box& own,
               Field<double>& part, bool stale) {
  const Int3& cells = whole.own_cells();
  for_each_cell(part.with_ghosts(), [&](int i, int j, int k) {
    Int3 cell{own.first[0] + i, own.first[1] + j, own.first[2] + k};
    bool outside = false;
    for (std::size_t d = 0; d < 3; ++d) {
      if (ends[d] == Ends::periodic) cell[d] = (cell[d] % cells[d] + cells[d]) % cells[d];
      outside = outside || cell[d] < -whole.ghost() || cell[d] >= cells[d] + whole.ghost();
    }
    // Values that must not be read, or must be overwritten first, spoil the result if they are
    // used.
    const bool fixed = !whole.own().contains(cell);
    part(i, j, k) = outside || (stale && !fixed) ? 1e300 : whole(cell[0], cell[1], cell[2]);
  });
}

void expect_equal_to_single_sweeps(const Int3& cells, const std::array<Ends, 3>& ends,
                                   const Int3& ranks, int sweeps, int threads, int tile_rows,
                                   bool poisson, std::mt19937& random) {
  Whole whole(cells, ends, random);
  const Field<double>& start = whole.now;
  struct Part {
    Box own;
    Field<double> result;
  };
  std::vector<Part> parts;
  for_each_cell(Box{{0, 0, 0}, ranks}, [&](int x, int y, int z) {
    const Int3 at{x, y, z};
    Box own;
    std::array<bool, 6> has_neighbour{};
    std::array<Side, 6> sides{};
    Int3 own_cells;
    for (std::size_t d = 0; d < 3; ++d) {
      own.first[d] = cells[d] * at[d] / ranks[d];
      own.last[d] = cells[d] * (at[d] + 1) / ranks[d];
      own_cells[d] = own.last[d] - own.first[d];
      const bool periodic = ends[d] == Ends::periodic;
      has_neighbour[2 * d] = periodic || at[d] > 0;
      has_neighbour[2 * d + 1] = periodic || at[d] + 1 < ranks[d];
      for (const std::size_t side : {2 * d, 2 * d + 1}) {
        sides[side] = whole.mirrored(side) ? Side::mirror : Side::fixed;
      }
    }
    const TemporalJacobi temporal(own_cells, sweeps, threads, has_neighbour, sides, 1, tile_rows);
    Field<double> a(own_cells, temporal.ghost());
    Field<double> b(own_cells, temporal.ghost());
    Field<double> g(own_cells, temporal.ghost());
    take_part(start, ends, own, a, false);
    take_part(start, ends, own, b, true);
    take_part(whole.g, ends, own, g, false);
    temporal(a, b, poisson ? &g : nullptr);
    parts.push_back({own, std::move(sweeps % 2 == 0 ? a : b)});
  });
  for (int sweep = 0; sweep < sweeps; ++sweep) whole.sweep(poisson);
  for (const Part& part : parts) {
    int different = 0;
    for_each_cell(part.result.own(), [&](int i, int j, int k) {
      const double expected =
          whole.now(part.own.first[0] + i, part.own.first[1] + j, part.own.first[2] + k);
      if (std::memcmp(&expected, &part.result(i, j, k), sizeof expected) != 0) ++different;
    });
    ASSERT_EQ(different, 0) << sweeps << " sweeps, " << threads << " threads, tiles of "
                            << tile_rows << " rows, " << cells[0] << "x" << cells[1] << "x"
                            << cells[2] << " on " << ranks[0] << "x" << ranks[1] << "x" << ranks[2]
                            << ", ends " << static_cast<int>(ends[0]) << static_cast<int>(ends[1])
                            << static_cast<int>(ends[2]);
  }
}

TEST(TemporalJacobi, EqualsSingleSweepsBitByBitOnAnyProblem) {
  std::mt19937 random(912);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int trial = 0; trial < 80; ++trial) {
    const int sweeps = 1 + below(7);
    Int3 cells;
    Int3 ranks;
    std::array<Ends, 3> ends;
    for (std::size_t d = 0; d < 3; ++d) {
      ranks[d] = 1 + below(2);
      cells[d] = ranks[d] * sweeps + below(d == 0 ? 40 : 15);
      ends[d] = static_cast<Ends>(below(4));
    }
    expect_equal_to_single_sweeps(cells, ends, ranks, sweeps, 1 + below(3), below(9), below(2) == 0,
                                  random);
    if (HasFatalFailure()) return;
  }
}

TEST(TemporalJacobi, AGridMayBeThinnerThanTheNumberOfSweeps) {
  std::mt19937 random(4506);
  for (const Int3& cells : {Int3{1, 1, 1}, Int3{3, 2, 1}, Int3{20, 3, 3}}) {
    expect_equal_to_single_sweeps(cells, {Ends::fixed, Ends::mirror, Ends::fixed}, {1, 1, 1}, 8, 2,
                                  2, false, random);
  }
}

TEST(TemporalJacobi, NeedsDeepGhostsOnlyNextToNeighbours) {
  EXPECT_EQ(TemporalJacobi({9, 9, 9}, 6, 1, {}, {}).ghost(), 1);
  EXPECT_EQ(TemporalJacobi({9, 9, 9}, 6, 1, {false, true}, {}).ghost(), 6);
}

TEST(TemporalJacobi, RefusesWrongFieldsAndNumbers) {
  EXPECT_THROW(TemporalJacobi({9, 9, 9}, 0, 1, {}, {}), Error);
  EXPECT_THROW(TemporalJacobi({9, 9, 9}, 1, 0, {}, {}), Error);
  const TemporalJacobi temporal({9, 9, 9}, 6, 1, {true}, {});
  Field<double> deep({9, 9, 9}, 6);
  Field<double> shallow({9, 9, 9}, 1);
  try {
    temporal(deep, shallow);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("6 ghost layers"), std::string::npos);
  }
}

}  // namespace
}  // namespace plait
