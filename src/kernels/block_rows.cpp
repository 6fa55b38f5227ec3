// SPDX-License-Identifier: BSD-3-Clause
// Chooses the number of rows in a block of the Jacobi update by the layer condition.
#include "kernels/block_rows.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/cache_sizes.hpp"
#include "kernels/jacobi_rows.hpp"

namespace plait::detail {

int block_rows(const Int3& own, int threads, int ranks_on_node, bool streaming) {
  const auto at_least_one = [](int n) { return static_cast<std::size_t>(std::max(1, n)); };
  const std::size_t row_bytes = at_least_one(own[0]) * sizeof(double);
  const std::size_t cache = streaming ? cache_sizes().private_bytes
                                      : last_cache_share(ranks_on_node) / at_least_one(threads);
  // The layers get half of the cache; the rest is for data that streams through.
  const std::size_t layers = (streaming ? streamed_planes : planes_at_once) + 2;
  const std::size_t rows = cache / 2 / (layers * row_bytes);
  constexpr std::size_t least_rows = 8;
  return static_cast<int>(std::min(at_least_one(own[1]), std::max(rows, least_rows)));
}

}  // namespace plait::detail
