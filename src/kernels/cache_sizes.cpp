// SPDX-License-Identifier: BSD-3-Clause
// Reads the cache sizes that the operating system reports.
#include "kernels/cache_sizes.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

namespace plait::detail {
namespace {

std::string first_token(const std::string& file) {
  std::string token;
  std::ifstream(file) >> token;
  return token;
}

/// Bytes of a size as /sys writes it: "512K", "32M".
std::size_t bytes_of(const std::string& size) {
  if (size.empty()) return 0;
  const std::size_t number = std::strtoull(size.c_str(), nullptr, 10);
  return number << (size.back() == 'M' ? 20U : size.back() == 'K' ? 10U : 0U);
}

CacheSizes read_cache_sizes() {
  CacheSizes sizes;
  int last_level = 0;
  std::map<std::string, std::size_t> last_caches;  // keyed by the CPUs that share one
  for (int cpu = 0;; ++cpu) {
    const std::string caches = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/";
    if (first_token(caches + "index0/level").empty()) break;
    for (int index = 0;; ++index) {
      const std::string cache = caches + "index" + std::to_string(index) + "/";
      const int level = std::atoi(first_token(cache + "level").c_str());
      if (level == 0) break;
      if (first_token(cache + "type") == "Instruction") continue;
      const std::size_t bytes = bytes_of(first_token(cache + "size"));
      if (level == 1 && cpu == 0) sizes.first_bytes = bytes;
      if (level == 2 && cpu == 0) sizes.private_bytes = bytes;
      if (level > last_level) {
        last_level = level;
        last_caches.clear();
      }
      if (level == last_level) last_caches[first_token(cache + "shared_cpu_list")] = bytes;
    }
  }
  for (const auto& [cpus, bytes] : last_caches) sizes.last_bytes += bytes;
  if (sizes.first_bytes == 0) sizes.first_bytes = std::size_t{32} << 10U;
  if (sizes.private_bytes == 0) sizes.private_bytes = std::size_t{256} << 10U;
  sizes.last_bytes = std::max(sizes.last_bytes, sizes.private_bytes);
  return sizes;
}

}  // namespace

const CacheSizes& cache_sizes() {
  static const CacheSizes sizes = read_cache_sizes();
  return sizes;
}

std::size_t last_cache_share(int ranks_on_node) {
  return cache_sizes().last_bytes / static_cast<std::size_t>(std::max(1, ranks_on_node));
}

}  // namespace plait::detail
