// SPDX-License-Identifier: BSD-3-Clause
// Reads the cache sizes that the operating system reports.
#pragma once

#include <cstddef>

namespace plait::detail {

/// Cache sizes in bytes.
struct CacheSizes {
  std::size_t first_bytes = 0;    ///< first level of one core, for data
  std::size_t private_bytes = 0;  ///< second level of one core
  std::size_t last_bytes = 0;     ///< last level, summed over the node
};

/// Caches of the node, read once from /sys; a first level of 32 KiB, a second level of 256 KiB, and
/// a last level of the same size, where the system reports none.
const CacheSizes& cache_sizes();

/// Bytes of the last level that each of `ranks_on_node` ranks may use.
std::size_t last_cache_share(int ranks_on_node);

}  // namespace plait::detail
