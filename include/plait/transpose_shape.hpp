// SPDX-License-Identifier: BSD-3-Clause
// What a transpose redistributes: extents, the cut axis before and after, and the indices that
// travel. Does not use MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plait {

/// Three numbers along x, y and z.
using Long3 = std::array<std::int64_t, 3>;

/// The indices i with first <= i < last along an axis.
struct IndexRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  [[nodiscard]] constexpr std::int64_t count() const { return last > first ? last - first : 0; }
  friend constexpr bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// The array of a rank on one side of a transpose: cut along `axis`, whole along the other axes.
struct Cut {
  int axis = 2;  ///< 0 = x, 1 = y, 2 = z
  /// Number of indices of each rank along the axis, in the order of ranks; some may be 0. Empty:
  /// as even as possible, the larger ones first.
  std::vector<std::int64_t> blocks{};
  /// The axes in the order of memory, the one with contiguous elements first.
  std::array<int, 3> order{0, 1, 2};
  /// Distance of neighbours along x, y and z, in elements; may differ between ranks. All 0: packed
  /// in the given order.
  Long3 strides{};
};

/// What one transpose redistributes.
struct TransposeShape {
  /// Global extents along x, y and z. The axis that is cut neither before nor after is not divided
  /// between the ranks of the transpose: with pencils, give the extent of this rank's row or
  /// column.
  Long3 extents{};
  Cut from{};
  Cut to{1};
  std::size_t element_bytes = 8;  ///< 16 for complex numbers of doubles
  int fields = 1;                 ///< arrays of equal shape that travel together
  /// Along each axis, the indices that travel, for example the modes that a truncation keeps:
  /// ascending ranges that do not overlap. Empty: all. One side has arrays of all indices; the
  /// other has arrays of the kept ones only, without gaps, and its blocks divide these.
  std::array<std::vector<IndexRange>, 3> kept{};
  /// Which side has all indices. false: the source; the others are left behind. true: the
  /// destination; its other elements are set to zero.
  bool expands = false;
};

/// The transpose that takes the results of this one back.
TransposeShape reversed(const TransposeShape& shape);

}  // namespace plait
