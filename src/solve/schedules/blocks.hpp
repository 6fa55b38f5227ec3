// SPDX-License-Identifier: BSD-3-Clause
// Distributes the cells of a rank over threads and cuts them into blocks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plait/box.hpp"

namespace plait::solve {

/// Calls `use` for the rows [first, last) of a box, counted along y, then z, as at most three
/// boxes: the rest of a plane, whole planes, the beginning of a plane.
template <class Use>
void for_rows(const Box& box, std::int64_t first, std::int64_t last, Use&& use) {
  const std::int64_t rows_per_plane = box.extent(1);
  while (first < last) {
    const auto plane = static_cast<int>(first / rows_per_plane);
    const auto row = static_cast<int>(first % rows_per_plane);
    Box piece = box;
    piece.first[2] += plane;
    if (row == 0 && last - first >= rows_per_plane) {
      const std::int64_t planes = (last - first) / rows_per_plane;
      piece.last[2] = piece.first[2] + static_cast<int>(planes);
      first += planes * rows_per_plane;
    } else {
      const std::int64_t rows = std::min<std::int64_t>(rows_per_plane - row, last - first);
      piece.first[1] += row;
      piece.last[1] = piece.first[1] + static_cast<int>(rows);
      piece.last[2] = piece.first[2] + 1;
      first += rows;
    }
    use(piece);
  }
}

/// Distributes the rows of the boxes over `parts` threads and calls `use` for the share of thread
/// `part`. Each share is a range in the order of the boxes, z and y, and all shares have about
/// equal work. For a single box this is the static distribution by which fields are first touched.
/// The cost of a row is its cells plus `row_cells`, because faces across x have rows of one cell.
template <class Use>
void for_share(std::span<const Box> boxes, int parts, int part, Use&& use) {
  constexpr std::int64_t row_cells = 16;
  if (parts == 1) {
    for (const Box& box : boxes) use(box);
    return;
  }
  const auto weight_of = [](const Box& box) { return box.extent(0) + row_cells; };
  const auto rows_of = [](const Box& box) { return std::int64_t{box.extent(1)} * box.extent(2); };
  std::int64_t all = 0;
  for (const Box& box : boxes) all += rows_of(box) * weight_of(box);
  const std::int64_t from = all * part / parts;
  const std::int64_t to = all * (part + 1) / parts;
  std::int64_t before = 0;
  for (const Box& box : boxes) {
    // A row belongs to the thread whose range contains its beginning.
    const std::int64_t weight = weight_of(box);
    const auto rows_before = [&](std::int64_t mark) {
      const std::int64_t inside = std::max<std::int64_t>(0, mark - before);
      return std::min(rows_of(box), (inside + weight - 1) / weight);
    };
    for_rows(box, rows_before(from), rows_before(to), use);
    before += rows_of(box) * weight;
  }
}

/// Cuts a box into blocks of at most the given size, x fastest; 0: the whole extent.
template <class Use>
void for_blocks(const Box& box, const Int3& block, Use&& use) {
  if (box.empty()) return;
  if (block == Int3{0, 0, 0}) {
    use(box);
    return;
  }
  Int3 step{};
  for (std::size_t d = 0; d < 3; ++d) {
    const int extent = box.extent(static_cast<int>(d));
    step[d] = block[d] > 0 ? std::min(block[d], extent) : extent;
  }
  for (int k = box.first[2]; k < box.last[2]; k += step[2]) {
    for (int j = box.first[1]; j < box.last[1]; j += step[1]) {
      for (int i = box.first[0]; i < box.last[0]; i += step[0]) {
        use(intersection(box, {{i, j, k}, {i + step[0], j + step[1], k + step[2]}}));
      }
    }
  }
}

/// A block of about `cells` cells: whole rows, and whole planes if they fit, because prefetchers
/// follow streams along memory. Extents that are given (not 0) are kept.
Int3 block_of(const Box& box, std::int64_t cells, const Int3& given);

/// A block between two polls of MPI: some tens of microseconds of a memory-bound update. (With
/// polls more than 150 us apart, next to nothing of a large message moved over TCP.)
Int3 polled_block(const Box& box, const Int3& given);

/// A block of a task: small enough that the last tasks balance the threads, large enough that
/// creating a task costs little.
Int3 task_block(const Box& box, int threads, const Int3& given);

}  // namespace plait::solve
