// SPDX-License-Identifier: BSD-3-Clause
// A rank's block of the grid with one ghost layer, rows contiguous and aligned to cache lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace plait::jacobi {

/// Three numbers along x (contiguous in memory), y and z.
using Triple = std::array<int, 3>;

/// Values at (i, j, k), 0 <= i <= nx + 1 and so on; 0 and n + 1 are ghosts or boundary.
/// The point i = 1 of every row lies at the start of a cache line, which stores that bypass the
/// caches need.
class Grid {
public:
  /// Allocates without touching the pages: who writes first decides on their NUMA domain.
  /// @throws std::bad_alloc when memory is short.
  explicit Grid(const Triple& interior) : n_(interior) {
    constexpr std::size_t line = 64 / sizeof(double);
    stride_ = (lead + static_cast<std::size_t>(n_[0]) + 1 + line) / line * line;
    // Rows a multiple of a page apart would share cache sets with their neighbours.
    if (stride_ % 512 == 0) stride_ += line;
    const std::size_t rows =
        static_cast<std::size_t>(n_[1] + 2) * static_cast<std::size_t>(n_[2] + 2);
    values_.reset(static_cast<double*>(std::aligned_alloc(64, rows * stride_ * sizeof(double))));
    if (!values_) throw std::bad_alloc();
  }

  [[nodiscard]] const Triple& interior() const { return n_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] std::size_t bytes() const {
    return static_cast<std::size_t>(n_[1] + 2) * static_cast<std::size_t>(n_[2] + 2) * stride_ *
           sizeof(double);
  }

  /// The row (j, k): row(j, k)[i] is the value at (i, j, k).
  [[nodiscard]] double* row(int j, int k) { return values_.get() + offset(j, k); }
  [[nodiscard]] const double* row(int j, int k) const { return values_.get() + offset(j, k); }

private:
  struct Free {
    void operator()(double* memory) const { std::free(memory); }
  };
  static constexpr std::size_t lead = 7;  // so that lead + 1 doubles are one cache line

  [[nodiscard]] std::size_t offset(int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(n_[1] + 2) +
            static_cast<std::size_t>(j)) *
               stride_ +
           lead;
  }

  Triple n_;
  std::size_t stride_ = 0;
  std::unique_ptr<double[], Free> values_;
};

}  // namespace plait::jacobi
