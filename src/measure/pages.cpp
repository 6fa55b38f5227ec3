// SPDX-License-Identifier: BSD-3-Clause
// Memory that is not placed in a NUMA domain until a thread touches it.
#include "measure/pages.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/available_memory.hpp"
#include "base/failure.hpp"
#include "plait/error.hpp"
#include "text/units.hpp"

namespace plait::measure {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

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
  return static_cast<std::size_t>(available_memory() / 4);
}

}  // namespace plait::measure
