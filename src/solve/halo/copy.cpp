// SPDX-License-Identifier: BSD-3-Clause
// Copies of boxes of cells between fields and messages, shared by threads.
#include "solve/halo/copy.hpp"

#include <algorithm>
#include <cstring>

namespace plait::solve {
namespace {

/// Extra cost of a row beside its bytes: about one cache line, the least that a row touches.
constexpr std::int64_t row_overhead_bytes = 64;

/// Copies `count` pieces of a size known at compile time: faces across x have very short rows.
template <std::size_t bytes>
void copy_pieces(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to,
                 std::ptrdiff_t to_stride, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, bytes);
  }
}

void copy_pieces(std::size_t bytes, const std::byte* from, std::ptrdiff_t from_stride,
                 std::byte* to, std::ptrdiff_t to_stride, std::int64_t count) {
  switch (bytes) {
    case 4:
      return copy_pieces<4>(from, from_stride, to, to_stride, count);
    case 8:
      return copy_pieces<8>(from, from_stride, to, to_stride, count);
    case 16:
      return copy_pieces<16>(from, from_stride, to, to_stride, count);
    case 24:
      return copy_pieces<24>(from, from_stride, to, to_stride, count);
    case 32:
      return copy_pieces<32>(from, from_stride, to, to_stride, count);
    default:
      for (std::int64_t i = 0; i < count; ++i) {
        std::memcpy(to + i * to_stride, from + i * from_stride, bytes);
      }
  }
}

}  // namespace

void CopyList::add(const BoxCopy& copy) {
  const std::int64_t rows = std::int64_t{copy.cells[1]} * copy.cells[2];
  if (rows == 0 || copy.cells[0] == 0) return;
  Entry entry{copy, rows, 0, cost_, copy.element_bytes, copy.cells[0]};
  if (copy.from.stride[0] > 0) {  // otherwise each element of a row is copied separately
    entry.run_bytes *= static_cast<std::size_t>(copy.cells[0]);
    entry.runs = 1;
  }
  const auto row_bytes = static_cast<std::int64_t>(copy.element_bytes) * copy.cells[0];
  entry.row_cost = row_bytes + row_overhead_bytes;
  cost_ += rows * entry.row_cost;
  bytes_ += rows * row_bytes;
  entries_.push_back(entry);
}

void CopyList::copy_rows(const Entry& entry, const std::byte* from, std::byte* to,
                         std::int64_t first, std::int64_t last) {
  const BoxCopy& copy = entry.copy;
  const std::int64_t plane = copy.cells[1];
  for (std::int64_t row = first; row < last;) {
    const std::int64_t k = row / plane;
    const std::int64_t j = row - k * plane;
    const std::int64_t count = std::min(plane - j, last - row);
    for (int run = 0; run < entry.runs; ++run) {
      copy_pieces(
          entry.run_bytes,
          from + run * copy.from.stride[0] + j * copy.from.stride[1] + k * copy.from.stride[2],
          copy.from.stride[1],
          to + run * copy.to.stride[0] + j * copy.to.stride[1] + k * copy.to.stride[2],
          copy.to.stride[1], count);
    }
    row += count;
  }
}

void CopyList::run(std::span<std::byte* const> memory, int part, int parts) const {
  const std::int64_t begin = cost_ * part / parts;
  const std::int64_t end = cost_ * (part + 1) / parts;
  for (const Entry& entry : entries_) {
    // A row belongs to the part whose share of the cost contains its beginning.
    const auto row_at = [&entry](std::int64_t cost) {
      const std::int64_t inside = std::max<std::int64_t>(0, cost - entry.cost_before);
      return std::min(entry.rows, (inside + entry.row_cost - 1) / entry.row_cost);
    };
    const std::int64_t first = row_at(begin);
    const std::int64_t last = row_at(end);
    if (first >= last) continue;
    const CopyEnd& from = entry.copy.from;
    const CopyEnd& to = entry.copy.to;
    copy_rows(entry, memory[static_cast<std::size_t>(from.memory)] + from.offset,
              memory[static_cast<std::size_t>(to.memory)] + to.offset, first, last);
  }
}

}  // namespace plait::solve
