// SPDX-License-Identifier: BSD-3-Clause
// How much cache a rank's threads have, as the operating system tells.
#pragma once

#include <cstddef>

namespace plait::detail {

/// Bytes of cache.
struct CacheSizes {
  std::size_t private_bytes = 0;  ///< a core's own second level
  std::size_t last_bytes = 0;     ///< the last level of all CPUs that this process may use
};

/// Caches of the CPUs in this process' affinity mask; plausible sizes where the system does not
/// tell. Read once.
const CacheSizes& cache_sizes();

/// The part of the last level that one of `ranks_on_node` ranks may count on.
std::size_t last_cache_share(int ranks_on_node);

}  // namespace plait::detail
