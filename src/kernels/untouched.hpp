// SPDX-License-Identifier: BSD-3-Clause
// Memory whose pages belong to the NUMA domain of the thread that fills them.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace plait::detail {

/// An array that starts at a cache line and is not initialized; in large pages where the system has
/// them.
template <class Element>
class Untouched {
public:
  Untouched() = default;
  /// @throws std::bad_alloc
  explicit Untouched(std::int64_t count) {
    constexpr std::size_t line = 64, large_page = std::size_t{2} << 20;
    const std::size_t bytes =
        static_cast<std::size_t>(std::max<std::int64_t>(count, 1)) * sizeof(Element);
    const std::size_t unit = bytes >= large_page ? large_page : line;
    const std::size_t rounded = (bytes + unit - 1) / unit * unit;
    data_.reset(static_cast<Element*>(std::aligned_alloc(unit, rounded)));
    if (!data_) throw std::bad_alloc();
    if (unit == large_page) ::madvise(data_.get(), rounded, MADV_HUGEPAGE);
  }
  [[nodiscard]] Element* data() const { return data_.get(); }

private:
  struct Free {
    void operator()(Element* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<Element[], Free> data_;
};

}  // namespace plait::detail
