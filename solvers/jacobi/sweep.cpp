// SPDX-License-Identifier: BSD-3-Clause
// A Jacobi sweep over a rank's block: blocked for the cache, stores as its size asks for.
#include "sweep.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

namespace plait::jacobi {
namespace {

/// "512K" or "32M" of the first CPU's cache; 0 when the kernel does not tell.
std::size_t cache_bytes(int level) {
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
    int found_level = 0;
    std::string size;
    if (!(std::ifstream(folder + "level") >> found_level)) break;
    if (found_level != level || !(std::ifstream(folder + "size") >> size)) continue;
    const std::size_t number = std::strtoull(size.c_str(), nullptr, 10);
    return number << (size.back() == 'M' ? 20U : size.back() == 'K' ? 10U : 0U);
  }
  return 0;
}

}  // namespace

CacheShare cache_share(int ranks_on_node) {
  const std::size_t second = cache_bytes(2);
  const std::size_t third = cache_bytes(3);
  CacheShare share{};
  share.private_bytes = second != 0 ? second : std::size_t{256} << 10U;
  share.last_bytes = third != 0 ? third / static_cast<std::size_t>(std::max(1, ranks_on_node))
                                : share.private_bytes;
  return share;
}

bool outgrows_caches(const Grid& grid, const CacheShare& caches) {
  return 2 * grid.bytes() > caches.last_bytes;
}

SweepPlan plan_sweep(const Grid& grid, const CacheShare& caches, bool streaming) {
  // Half of the cache for three planes of old values; the rest for what streams through.
  const std::size_t row_bytes = grid.stride() * sizeof(double);
  const std::size_t rows = caches.private_bytes / 2 / (3 * row_bytes);
  SweepPlan plan{};
  plan.streaming = streaming && has_streaming_stores();
  plan.rows = static_cast<int>(
      std::clamp<std::size_t>(rows, 4, static_cast<std::size_t>(std::max(4, grid.interior()[1]))));
  plan.kernel = select_row_kernel(plan.streaming);
  return plan;
}

void sweep(Grid& new_grid, const Grid& old_grid, const SweepPlan& plan) {
  const auto [nx, ny, nz] = old_grid.interior();
  for (int first = 1; first <= ny; first += plan.rows) {
    const int last = std::min(ny, first + plan.rows - 1);
    for (int k = 1; k <= nz; ++k) {
      for (int j = first; j <= last; ++j) {
        const RowNeighbours old{old_grid.row(j, k), old_grid.row(j - 1, k), old_grid.row(j + 1, k),
                                old_grid.row(j, k - 1), old_grid.row(j, k + 1)};
        plan.kernel(new_grid.row(j, k), old, nx);
      }
    }
  }
  if (plan.streaming) finish_streaming_stores();
}

double largest_difference(const Grid& a, const Grid& b) {
  const auto [nx, ny, nz] = a.interior();
  double largest = 0.0;
  for (int k = 1; k <= nz; ++k) {
    for (int j = 1; j <= ny; ++j) {
      const double* row_a = a.row(j, k);
      const double* row_b = b.row(j, k);
      for (int i = 1; i <= nx; ++i) largest = std::max(largest, std::abs(row_a[i] - row_b[i]));
    }
  }
  return largest;
}

}  // namespace plait::jacobi
