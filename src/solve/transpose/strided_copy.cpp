// SPDX-License-Identifier: BSD-3-Clause
// Copies three-dimensional boxes between arrays of any order of axes, shared by threads.
#include "solve/transpose/strided_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace plait::solve {
namespace {

/// Extra cost of a run beside its bytes: about one cache line, the least that it touches.
constexpr std::int64_t run_overhead_bytes = 64;

/// Runs whose elements are not contiguous at the source are copied in blocks of this many elements,
/// so that a cache line of the source serves several runs before it is replaced.
constexpr std::int64_t block = 16;

/// Elements of a size known at compile time, in blocks.
template <std::size_t bytes>
void copy_elements(const std::byte* from, std::int64_t from_stride, std::int64_t from_row,
                   std::byte* to, std::int64_t to_stride, std::int64_t to_row, std::int64_t count,
                   std::int64_t rows) {
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t end = std::min(count, begin + block);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::byte* source = from + row * from_row;
      std::byte* target = to + row * to_row;
      for (std::int64_t i = begin; i < end; ++i) {
        std::memcpy(target + i * to_stride, source + i * from_stride, bytes);
      }
    }
  }
}

void copy_elements(std::size_t bytes, const std::byte* from, std::int64_t from_stride,
                   std::int64_t from_row, std::byte* to, std::int64_t to_stride,
                   std::int64_t to_row, std::int64_t count, std::int64_t rows) {
  switch (bytes) {
    case 4:
      return copy_elements<4>(from, from_stride, from_row, to, to_stride, to_row, count, rows);
    case 8:
      return copy_elements<8>(from, from_stride, from_row, to, to_stride, to_row, count, rows);
    case 16:
      return copy_elements<16>(from, from_stride, from_row, to, to_stride, to_row, count, rows);
    default:
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < count; ++i) {
          std::memcpy(to + row * to_row + i * to_stride, from + row * from_row + i * from_stride,
                      bytes);
        }
      }
  }
}

Long3 permuted(const Long3& values, const std::array<std::size_t, 3>& axes) {
  return {values[axes[0]], values[axes[1]], values[axes[2]]};
}

}  // namespace

void StridedCopies::add(const StridedEnd& from, const StridedEnd& to, const Long3& count,
                        std::size_t element_bytes) {
  if (count[0] < 1 || count[1] < 1 || count[2] < 1) return;
  // Axes by their distance at the destination: writes are contiguous where possible. Axes of one
  // index come last, so that those of more may be joined.
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::ranges::stable_sort(
      axes, {}, [&](std::size_t axis) { return std::pair(count[axis] == 1, to.stride[axis]); });
  Entry entry{{from.memory, from.offset, permuted(from.stride, axes)},
              {to.memory, to.offset, permuted(to.stride, axes)},
              permuted(count, axes),
              element_bytes,
              0,
              cost_};
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  bytes_ += bytes * entry.count[0] * entry.count[1] * entry.count[2];
  // Joins the first two axes where both ends continue, at most twice.
  for (int joined = 0; joined < 2; ++joined) {
    const std::int64_t n = entry.count[0];
    if (entry.from.stride[1] != n * entry.from.stride[0] ||
        entry.to.stride[1] != n * entry.to.stride[0] || entry.count[1] == 1) {
      break;
    }
    entry.count = {n * entry.count[1], entry.count[2], 1};
    entry.from.stride[1] = entry.from.stride[2];
    entry.to.stride[1] = entry.to.stride[2];
  }
  entry.cost = bytes * entry.count[0] + run_overhead_bytes;
  cost_ += entry.rows() * entry.cost;
  entries_.push_back(entry);
}

void StridedCopies::add_zeros(const StridedEnd& to, const Long3& count, std::size_t element_bytes) {
  StridedEnd zeros = to;
  zeros.memory = -1;
  add(zeros, to, count, element_bytes);
}

void StridedCopies::copy_rows(const Entry& entry, const std::byte* from, std::byte* to,
                              std::int64_t first, std::int64_t last) {
  const auto bytes = static_cast<std::int64_t>(entry.element_bytes);
  const std::int64_t count = entry.count[0];
  const bool runs = entry.from.stride[0] == bytes && entry.to.stride[0] == bytes;
  for (std::int64_t row = first; row < last;) {
    const std::int64_t k = row / entry.count[1];
    const std::int64_t j = row - k * entry.count[1];
    const std::int64_t rows = std::min(entry.count[1] - j, last - row);
    std::byte* target = to + j * entry.to.stride[1] + k * entry.to.stride[2];
    const std::byte* source = nullptr;
    if (from != nullptr) source = from + j * entry.from.stride[1] + k * entry.from.stride[2];
    if (runs) {
      const auto run = static_cast<std::size_t>(bytes * count);
      for (std::int64_t r = 0; r < rows; ++r) {
        std::byte* begin = target + r * entry.to.stride[1];
        if (source == nullptr) {
          std::memset(begin, 0, run);
        } else {
          std::memcpy(begin, source + r * entry.from.stride[1], run);
        }
      }
    } else if (source == nullptr) {
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < count; ++i) {
          std::memset(target + r * entry.to.stride[1] + i * entry.to.stride[0], 0,
                      entry.element_bytes);
        }
      }
    } else {
      copy_elements(entry.element_bytes, source, entry.from.stride[0], entry.from.stride[1], target,
                    entry.to.stride[0], entry.to.stride[1], count, rows);
    }
    row += rows;
  }
}

void StridedCopies::run(std::span<std::byte* const> memory, int part, int parts) const {
  // Each factor is small enough: a cost is a number of bytes in memory.
  const auto share = [&](int number) {
    return cost_ / parts * number + cost_ % parts * number / parts;
  };
  const std::int64_t begin = share(part);
  const std::int64_t end = share(part + 1);
  for (const Entry& entry : entries_) {
    // A run belongs to the part whose share of the cost contains its beginning.
    const auto row_at = [&entry](std::int64_t cost) {
      const std::int64_t inside = std::max<std::int64_t>(0, cost - entry.cost_before);
      return std::min(entry.rows(), (inside + entry.cost - 1) / entry.cost);
    };
    const std::int64_t first = row_at(begin);
    const std::int64_t last = row_at(end);
    if (first >= last) continue;
    const std::byte* from = nullptr;
    if (entry.from.memory >= 0) {
      from = memory[static_cast<std::size_t>(entry.from.memory)] + entry.from.offset;
    }
    copy_rows(entry, from, memory[static_cast<std::size_t>(entry.to.memory)] + entry.to.offset,
              first, last);
  }
}

}  // namespace plait::solve
