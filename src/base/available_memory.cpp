// SPDX-License-Identifier: BSD-3-Clause
#include "base/available_memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace plait {
namespace {

/// The number in a file, or `otherwise` if it contains something else ("max") or is missing.
std::uint64_t number_in(const std::string& path, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? value : otherwise;
}

std::uint64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::string unit;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    std::getline(file, unit);
    if (name == "MemAvailable:") return kib * 1024;
  }
  return std::uint64_t{4} << 30;
}

/// Memory of a control group that the kernel can take back: files that nobody used lately.
std::uint64_t reclaimable_bytes(const std::string& stat) {
  std::ifstream file(stat);
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value) {
    if (name == "inactive_file" || name == "total_inactive_file") return value;
  }
  return 0;
}

/// Memory that the control group leaves. A container sees its own group at the mount point.
std::uint64_t cgroup_left_bytes() {
  const std::string v2 = "/sys/fs/cgroup/memory.";
  const std::string v1 = "/sys/fs/cgroup/memory/memory.";
  const std::uint64_t limit =
      std::min(number_in(v2 + "max", UINT64_MAX), number_in(v1 + "limit_in_bytes", UINT64_MAX));
  const std::uint64_t used =
      std::max(number_in(v2 + "current", 0), number_in(v1 + "usage_in_bytes", 0));
  const std::uint64_t left = limit > used ? limit - used : 0;
  return left +
         std::min(used, std::max(reclaimable_bytes(v2 + "stat"), reclaimable_bytes(v1 + "stat")));
}

}  // namespace

std::uint64_t available_memory() {
  return std::min(available_bytes(), cgroup_left_bytes());
}

}  // namespace plait
