// SPDX-License-Identifier: BSD-3-Clause
// Aligned memory for matrices, in large pages where the system has them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace plait::lu {

/// An array of doubles that starts at a cache line; not initialized.
class Memory {
public:
  Memory() = default;
  /// @throws std::bad_alloc
  explicit Memory(std::size_t count);
  /// The same, of zeros that the team of OpenMP threads has written: the pages are there before
  /// their use is timed. @throws std::bad_alloc
  static Memory of_zeros(std::size_t count);

  [[nodiscard]] double* data() { return data_.get(); }
  [[nodiscard]] const double* data() const { return data_.get(); }

private:
  struct Free {
    void operator()(double* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<double[], Free> data_;
};

/// `count` doubles, rounded up to whole cache lines.
inline std::size_t whole_lines(std::size_t count) {
  return (count + 7) / 8 * 8;
}

}  // namespace plait::lu
