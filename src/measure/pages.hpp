// SPDX-License-Identifier: BSD-3-Clause
// Memory that belongs to no NUMA domain until a thread touches it.
#pragma once

#include <cstddef>

namespace plait::measure {

/// Which pages to ask for.
enum class PageSize {
  huge,    ///< where the system grants them
  system,  ///< what the system gives to who asks for nothing, as most programs do
};

/// Untouched pages, aligned to 2 MiB: the thread that first writes a page decides where it lies.
class Pages {
public:
  /// @throws Error when the system has no memory.
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

/// Bytes that a measurement may take: a quarter of what the system says is available, or of what
/// the control group leaves, if that is less.
std::size_t memory_to_use();

}  // namespace plait::measure
