// SPDX-License-Identifier: BSD-3-Clause
// Every variant of every kernel gives the same bits as a naive one and writes nothing else.
#include "measure/kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "measure/pages.hpp"

namespace plait::measure {
namespace {

constexpr double kGuard = -77.5;

/// Arrays in pages, because non-temporal stores need alignment.
struct Arrays {
  explicit Arrays(std::size_t n) : out(n * 8 + 64), x(n * 8), y(n * 8) {
    for (std::size_t i = 0; i < n; ++i) {
      x.doubles()[i] = 1.0 / (1.0 + static_cast<double>(i));
      y.doubles()[i] = 0.1 * static_cast<double>(i % 17);
      out.doubles()[i] = 0;
    }
    out.doubles()[n] = kGuard;
  }
  Pages out;
  Pages x;
  Pages y;
};

double naive(StreamKernel kernel, double x, double y, double q) {
  switch (kernel) {
    case StreamKernel::copy:
      return x;
    case StreamKernel::scale:
      return q * x;
    case StreamKernel::add:
      return x + y;
    case StreamKernel::triad:
      break;
  }
  const volatile double product = q * y;  // no contraction, as in the kernels
  return x + product;
}

void expect_stream_is_naive(Isa isa) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{1003}}) {
    for (const StreamKernel kernel :
         {StreamKernel::copy, StreamKernel::scale, StreamKernel::add, StreamKernel::triad}) {
      for (const int non_temporal : {0, 1}) {
        if (non_temporal == 1 && !has_non_temporal_stores(isa)) continue;
        const Arrays arrays(n);
        const StreamFunction function =
            kernels_of(isa).stream[static_cast<int>(kernel)][non_temporal];
        ASSERT_NE(function, nullptr);
        function(arrays.out.doubles(), arrays.x.doubles(), arrays.y.doubles(), 3.0, n);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(arrays.out.doubles()[i],
                    naive(kernel, arrays.x.doubles()[i], arrays.y.doubles()[i], 3.0))
              << name_of(kernel) << " " << non_temporal << " element " << i << " of " << n;
        }
        EXPECT_EQ(arrays.out.doubles()[n], kGuard);
      }
    }
  }
}

void expect_jacobi_is_naive(Isa isa) {
  const JacobiGrid grid = JacobiGrid::of(37, 5, 6);
  const Pages in(grid.doubles() * 8);
  for (std::size_t i = 0; i < grid.doubles(); ++i) {
    in.doubles()[i] = 1.0 / (3.0 + static_cast<double>(i % 101));
  }
  for (const int non_temporal : {0, 1}) {
    if (non_temporal == 1 && !has_non_temporal_stores(isa)) continue;
    const Pages out(grid.doubles() * 8);
    std::vector<double> expected(grid.doubles(), kGuard);
    for (std::size_t i = 0; i < grid.doubles(); ++i) out.doubles()[i] = kGuard;
    for (int z = 2; z < 5; ++z) {
      for (int y = 0; y < grid.ny; ++y) {
        for (int x = 0; x < grid.nx; ++x) {
          const double* v = in.doubles();
          const double sum = ((v[grid.at(x - 1, y, z)] + v[grid.at(x + 1, y, z)]) +
                              (v[grid.at(x, y - 1, z)] + v[grid.at(x, y + 1, z)])) +
                             (v[grid.at(x, y, z - 1)] + v[grid.at(x, y, z + 1)]);
          expected[grid.at(x, y, z)] = sum * (1.0 / 6.0);
        }
      }
    }
    sweep_jacobi(isa, non_temporal == 1, grid, out.doubles(), in.doubles(), 2, 5);
    for (std::size_t i = 0; i < grid.doubles(); ++i) {
      ASSERT_EQ(out.doubles()[i], expected[i]) << "non-temporal " << non_temporal << " at " << i;
    }
  }
}

TEST(Kernels, stream_equals_the_naive_loop_with_every_instruction_set) {
  for (const Isa isa : supported_isas()) {
    SCOPED_TRACE(name_of(isa));
    expect_stream_is_naive(isa);
  }
}

TEST(Kernels, jacobi_equals_the_naive_loop_and_writes_no_other_plane) {
  for (const Isa isa : supported_isas()) {
    SCOPED_TRACE(name_of(isa));
    expect_jacobi_is_naive(isa);
  }
}

TEST(JacobiGrid, the_interior_of_each_row_begins_on_a_cache_line) {
  for (const int nx : {1, 7, 8, 9, 200}) {
    const JacobiGrid grid = JacobiGrid::of(nx, 3, 3);
    EXPECT_EQ(grid.at(0, 0, 0) % 8, 0U);
    EXPECT_EQ(grid.at(0, 1, 2) % 8, 0U);
    EXPECT_GT(grid.doubles(), grid.at(nx, 3, 3)) << "the last boundary point is inside";
    EXPECT_GE(grid.row, static_cast<std::size_t>(nx) + 2);
  }
}

TEST(Stream, counts_bytes_as_mccalpin_does) {
  EXPECT_EQ(stream_bytes_per_element(StreamKernel::copy), 16);
  EXPECT_EQ(stream_bytes_per_element(StreamKernel::scale), 16);
  EXPECT_EQ(stream_bytes_per_element(StreamKernel::add), 24);
  EXPECT_EQ(stream_bytes_per_element(StreamKernel::triad), 24);
}

}  // namespace
}  // namespace plait::measure
