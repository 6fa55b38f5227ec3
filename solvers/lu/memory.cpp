// SPDX-License-Identifier: BSD-3-Clause
// Allocates aligned memory for matrices.
#include "memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace plait::lu {
namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

}  // namespace

Memory::Memory(std::size_t count) {
  const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(double);
  const std::size_t unit = bytes >= kLargePage ? kLargePage : kLine;
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  data_.reset(static_cast<double*>(std::aligned_alloc(unit, rounded)));
  if (!data_) throw std::bad_alloc();
  if (unit == kLargePage) ::madvise(data_.get(), rounded, MADV_HUGEPAGE);
}

Memory Memory::of_zeros(std::size_t count) {
  Memory memory(count);
  double* data = memory.data();
  const auto last = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < last; ++i) data[i] = 0;
  return memory;
}

}  // namespace plait::lu
