// SPDX-License-Identifier: BSD-3-Clause
// Allocates aligned memory for matrices, and reads how much the node has.
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <string>

namespace plait::lu {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

/// A number in a file of one number; 0 if there is none, as for "max".
double number_in(const char* path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? number : 0;
}

}  // namespace

Memory::Memory(std::size_t count) {
  const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(double);
  const std::size_t unit = bytes >= kLargePage ? kLargePage : kLine;
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  data_.reset(static_cast<double*>(std::aligned_alloc(unit, rounded)));
  if (!data_) throw std::bad_alloc();
  if (unit == kLargePage) ::madvise(data_.get(), rounded, MADV_HUGEPAGE);
}

double available_bytes() {
  double available = 0;
  std::ifstream file("/proc/meminfo");
  for (std::string name, unit; file >> name;) {
    if (name == "MemAvailable:" && file >> available) available *= 1024;
    std::getline(file, unit);
  }
  // A container may have less than its node.
  const double limit = number_in("/sys/fs/cgroup/memory.max");
  if (limit > 0) {
    const double left = limit - number_in("/sys/fs/cgroup/memory.current");
    available = available > 0 ? std::min(available, left) : left;
  }
  return available;
}

}  // namespace plait::lu
