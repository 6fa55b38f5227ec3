// SPDX-License-Identifier: BSD-3-Clause
// The array of a rank on one side of a transpose, and loops over its elements and lines. Does not
// use MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plait/transpose_shape.hpp"

namespace plait {

/// The array of this rank on one side of a transpose.
struct TransposeArray {
  int axis = 0;               ///< along which it is cut
  IndexRange own{};           ///< its indices along that axis, of those that this side has
  Long3 extents{};            ///< its elements along x, y and z
  Long3 strides{};            ///< distance of neighbours along x, y and z, in elements
  std::int64_t elements = 0;  ///< number of elements to allocate
  int chunk_axis = 2;         ///< planes, in which elements travel, are perpendicular to it

  /// Memory for the array.
  template <class T>
  [[nodiscard]] std::vector<T> zeros() const {
    return std::vector<T>(static_cast<std::size_t>(elements));
  }

  /// Calls work(line, stride, index) for each line of elements along an axis, in the order of
  /// memory: a pointer to its first element, the distance of neighbours, and the first element's
  /// indices along x, y and z, of those that this side has on all ranks.
  /// @param data       the array
  /// @param line_axis  0, 1 or 2
  /// @param planes     local indices along the chunk axis; lines along that axis are cut to them
  template <class T, class Work>
  void for_each_line(T* data, int line_axis, const IndexRange& planes, const Work& work) const {
    const auto along = static_cast<std::size_t>(line_axis);
    std::size_t inner = (along + 1) % 3, outer = (along + 2) % 3;
    if (strides[inner] > strides[outer]) std::swap(inner, outer);
    std::array<IndexRange, 3> box = all();
    box[static_cast<std::size_t>(chunk_axis)] = planes;
    if (box[along].count() == 0) return;
    Long3 at{};
    at[along] = box[along].first;
    for (at[outer] = box[outer].first; at[outer] < box[outer].last; ++at[outer]) {
      for (at[inner] = box[inner].first; at[inner] < box[inner].last; ++at[inner]) {
        const Long3 index = global(at);
        work(data + position(at), strides[along], index);
      }
    }
  }
  /// The same for all planes.
  template <class T, class Work>
  void for_each_line(T* data, int line_axis, const Work& work) const {
    for_each_line(data, line_axis, all()[static_cast<std::size_t>(chunk_axis)], work);
  }
  /// Calls work(element, index) for each element, along x first.
  template <class T, class Work>
  void for_each(T* data, const Work& work) const {
    for_each_line(data, 0, [&](T* line, std::int64_t stride, Long3 index) {
      for (; index[0] < global(extents)[0]; ++index[0], line += stride) work(*line, index);
    });
  }

private:
  [[nodiscard]] std::array<IndexRange, 3> all() const {
    return {{{0, extents[0]}, {0, extents[1]}, {0, extents[2]}}};
  }
  [[nodiscard]] std::int64_t position(const Long3& at) const {
    return at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2];
  }
  [[nodiscard]] Long3 global(Long3 at) const {
    at[static_cast<std::size_t>(axis)] += own.first;
    return at;
  }
};

}  // namespace plait
