// SPDX-License-Identifier: BSD-3-Clause
// Reductions give the exact bits, computed with integers, for any number of ranks and threads.
#include "plait/reduction.hpp"

#include <omp.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "checks.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/environment.hpp"
#include "plait/field.hpp"

namespace {

using plait::CartesianGrid;
using plait::Field;
using plait::Int3;
using plait::test::Checks;

__extension__ using Wide = __int128;

constexpr Int3 cells{17, 13, 11};
constexpr int exponent = -30;

/// An integer of up to 53 bits with sign for each global cell. Sums of such numbers in double
/// precision depend on the order; those of wide integers do not.
std::int64_t number(int i, int j, int k) {
  std::uint64_t z = static_cast<std::uint64_t>(i + 1000 * (j + 1000 * k)) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  const auto magnitude = static_cast<std::int64_t>((z >> 11U) >> (z % 40U));
  return (z & 1024U) != 0 ? magnitude : -magnitude;
}

void fill(const CartesianGrid& grid, Field<double>& field) {
  const Int3 first = grid.own().first;
  const Int3 own = grid.own_cells();
  for (int k = 0; k < own[2]; ++k) {
    for (int j = 0; j < own[1]; ++j) {
      for (int i = 0; i < own[0]; ++i) {
        field(i, j, k) = std::ldexp(
            static_cast<double>(number(first[0] + i, first[1] + j, first[2] + k)), exponent);
      }
    }
  }
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Sums of all cells in integer arithmetic. The conversion to double rounds to nearest.
struct Expected {
  double sum = 0;
  double squares = 0;
};
Expected expected() {
  Wide sum = 0;
  Wide squares = 0;
  for (int k = 0; k < cells[2]; ++k) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int i = 0; i < cells[0]; ++i) {
        const auto value = static_cast<double>(number(i, j, k));
        sum += static_cast<Wide>(number(i, j, k));
        squares += static_cast<Wide>(value * value);  // rounded once, then an integer
      }
    }
  }
  return {std::ldexp(static_cast<double>(sum), exponent),
          std::ldexp(static_cast<double>(squares), 2 * exponent)};
}

void check_sums(const CartesianGrid& grid, const Field<double>& field, Checks& checks) {
  static const Expected exact = expected();
  const std::string threads = " with " + std::to_string(omp_get_max_threads()) + " threads";
  checks.expect(same_bits(plait::exact_sum(grid, field), exact.sum), "sum" + threads);
  checks.expect(same_bits(plait::exact_sum_of_squares(grid, field), exact.squares),
                "sum of squares" + threads);
  checks.expect(same_bits(plait::norm(grid, field), std::sqrt(exact.squares)), "norm" + threads);
}

void check_changes(const CartesianGrid& grid, Field<double>& a, Field<double>& b, Checks& checks) {
  const std::string threads = " with " + std::to_string(omp_get_max_threads()) + " threads";
  fill(grid, b);
  checks.expect(plait::max_change(grid, a, b) == 0, "no change" + threads);
  // Change one cell of the last rank, in its last row; ghosts do not count.
  const Int3 own = grid.own_cells();
  double& cell = b(own[0] - 1, own[1] - 1, own[2] - 1);
  const double before = cell;
  b(-1, 0, 0) = 1e300;
  if (grid.rank() == grid.size() - 1) cell = before + 1e9;
  const double change = std::fabs((before + 1e9) - before);
  double all = grid.rank() == grid.size() - 1 ? change : 0;
  MPI_Bcast(&all, 1, MPI_DOUBLE, grid.size() - 1, grid.comm());
  checks.expect(same_bits(plait::max_change(grid, a, b), all), "largest change" + threads);

  // During a sweep: the fields may change as soon as the reduction has started.
  plait::PendingReduction reduction = plait::start_max_change(grid, a, b);
  cell = std::numeric_limits<double>::quiet_NaN();
  plait::PendingReduction second = plait::start_max_change(grid, a, b);
  checks.expect(reduction.pending(), "pending" + threads);
  reduction.test();
  plait::PendingReduction moved = std::move(reduction);
  checks.expect(same_bits(moved.get(), all), "change fetched later" + threads);
  checks.expect(!moved.pending() && moved.test(), "fetched" + threads);
  checks.expect(std::isnan(second.get()), "NaN during a sweep" + threads);

  if (grid.rank() != 0) cell = before;  // NaN on one rank only
  checks.expect(std::isnan(plait::max_change(grid, a, b)), "NaN of one rank" + threads);
  checks.expect(std::isnan(plait::max_change(grid, b, a)), "NaN in the other field" + threads);
  checks.expect(std::isnan(plait::exact_sum(grid, b)), "sum with NaN" + threads);
  cell = grid.rank() == 0 ? -std::numeric_limits<double>::infinity() : before;
  checks.expect(plait::max_change(grid, a, b) == std::numeric_limits<double>::infinity(),
                "infinite change" + threads);
  checks.expect(plait::exact_sum(grid, b) == -std::numeric_limits<double>::infinity(),
                "infinite sum" + threads);
  // A reduction that is not fetched ends by itself.
  const plait::PendingReduction unfetched = plait::start_max_change(grid, a, b);
}

template <class Body>
bool throws_error(const Body& body) {
  try {
    body();
  } catch (const plait::Error&) {
    return true;
  }
  return false;
}

void check_refusals(const CartesianGrid& grid, const Field<double>& field, Checks& checks) {
  const Field<float> floats(grid, 1);
  checks.expect(throws_error([&] { plait::max_change(grid, field, floats); }), "no floats");
  Int3 larger = grid.own_cells();
  ++larger[1];
  const Field<double> other(larger, 1);
  checks.expect(throws_error([&] { plait::exact_sum(grid, other); }), "no other extents");
  checks.expect(throws_error([] { plait::PendingReduction().get(); }), "nothing to get");
}

}  // namespace

int main(int argc, char** argv) {
  const plait::Environment environment(argc, argv);
  return plait::guarded("reduction", [&] {
    Checks checks;
    for (const plait::RankMap map : {plait::RankMap::row_major, plait::RankMap::mpi}) {
      const CartesianGrid grid(MPI_COMM_WORLD, cells, {{0, 0, 0}, {false, true, false}, map});
      Field<double> a(grid, 1);
      Field<double> b(grid, 1);
      fill(grid, a);
      for (const int threads : {1, 2, 3}) {
        omp_set_num_threads(threads);
        check_sums(grid, a, checks);
        check_changes(grid, a, b, checks);
      }
      check_refusals(grid, a, checks);
    }
    return checks.finish("reduction");
  });
}
