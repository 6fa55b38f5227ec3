// SPDX-License-Identifier: BSD-3-Clause
// Memory that is not placed in a NUMA domain until a thread touches it.
#pragma once

#include <cstddef>

namespace plait::measure {

/// The page size to request.
enum class PageSize {
  huge,    ///< if the system grants them
  system,  ///< the default of the system, as most programs get it
};

/// Untouched pages, aligned to 2 MiB. The thread that first writes a page determines its NUMA
/// domain.
class Pages {
public:
  /// @throws Error when there is not enough memory.
  explicit Pages(std::size_t bytes, PageSize size = PageSize::huge);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  Pages& operator=(Pages&&) = delete;

  [[nodiscard]] std::byte* bytes() const { return start_; }
  [[nodiscard]] double* doubles() const { return reinterpret_cast<double*>(start_); }
  [[nodiscard]] std::size_t size() const { return size_; }

private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* start_ = nullptr;
  std::size_t size_ = 0;
};

/// Bytes that a measurement may use: a quarter of the available memory or of what the control group
/// leaves, whichever is less.
std::size_t memory_to_use();

}  // namespace plait::measure
