// SPDX-License-Identifier: BSD-3-Clause
// Memory that is not placed in a NUMA domain until a thread touches it.
#include "measure/pages.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>

#include "base/failure.hpp"
#include "plait/error.hpp"
#include "text/units.hpp"

namespace plait::measure {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

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

/// Memory that the control group leaves. A container sees its own group at the mount point.
std::uint64_t cgroup_left_bytes() {
  const std::string v2 = "/sys/fs/cgroup/memory.";
  const std::string v1 = "/sys/fs/cgroup/memory/memory.";
  const std::uint64_t limit =
      std::min(number_in(v2 + "max", UINT64_MAX), number_in(v1 + "limit_in_bytes", UINT64_MAX));
  const std::uint64_t used =
      std::max(number_in(v2 + "current", 0), number_in(v1 + "usage_in_bytes", 0));
  return limit > used ? limit - used : 0;
}

}  // namespace

Pages::Pages(std::size_t bytes, PageSize size) : mapped_(bytes + kHugePage), size_(bytes) {
  mapping_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    throw Failure("measure", fmt::format("no memory for an array of {}", format_bytes(bytes)),
                  "free memory or raise the memory limit of the job");
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  const std::uintptr_t aligned = (address + kHugePage - 1) / kHugePage * kHugePage;
  start_ = static_cast<std::byte*>(mapping_) + (aligned - address);
  // Some systems refuse huge pages; then the pages are small.
  if (size == PageSize::huge) ::madvise(start_, bytes, MADV_HUGEPAGE);
}

Pages::~Pages() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
}

Pages::Pages(Pages&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      start_(other.start_),
      size_(other.size_) {}

std::size_t memory_to_use() {
  return static_cast<std::size_t>(std::min(available_bytes(), cgroup_left_bytes()) / 4);
}

}  // namespace plait::measure
