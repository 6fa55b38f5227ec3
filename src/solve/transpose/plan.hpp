// SPDX-License-Identifier: BSD-3-Clause
// The geometry of a transpose: which elements go from which rank to which, and where they are in
// the arrays of both. All numbers have 64 bits. Does not use MPI.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plait/error.hpp"
#include "plait/transpose_shape.hpp"

namespace plait::solve {

/// A set of elements: along each axis a range of kept indices, which are numbered without gaps.
struct KeptBox {
  std::array<IndexRange, 3> range{};

  [[nodiscard]] std::int64_t elements() const {
    return range[0].count() * range[1].count() * range[2].count();
  }
};

/// Consecutive kept indices that are also consecutive in an array.
struct Segment {
  std::int64_t kept = 0;   ///< the first one as a kept index
  std::int64_t local = 0;  ///< the same as an index of the array of a rank
  std::int64_t count = 0;

  friend bool operator==(const Segment&, const Segment&) = default;
};

enum class Side { from, to };

/// Marks all elements of a transpose in place of a chunk.
constexpr int whole_transpose = -1;

/// The division of a transpose between ranks and chunks.
class TransposeGeometry {
public:
  /// @param shape       without errors, see shape_error()
  /// @param chunk_axis  0, 1 or 2
  TransposeGeometry(const TransposeShape& shape, int ranks, int chunks, int chunk_axis);

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int chunks() const { return chunks_; }
  [[nodiscard]] int chunk_axis() const { return chunk_axis_; }
  [[nodiscard]] const TransposeShape& shape() const { return shape_; }

  /// The indices of a rank along the cut axis, as numbered on that side.
  [[nodiscard]] IndexRange own(Side side, int rank) const;
  /// Extents of a rank's array.
  [[nodiscard]] Long3 extents(Side side, int rank) const;
  /// Strides of an array with these extents that is packed in the order of the side.
  [[nodiscard]] Long3 packed_strides(Side side, const Long3& extents) const;

  /// What one rank sends to another in a chunk or in the whole.
  [[nodiscard]] KeptBox box(int sender, int receiver, int chunk) const;
  /// The segments of a range of kept indices in the array of a rank.
  [[nodiscard]] std::vector<Segment> segments(Side side, int rank, int axis,
                                              const IndexRange& kept) const;
  /// The indices along the chunk axis, in the array of a rank, of a chunk: where neighbouring
  /// ranges meet, they are joined.
  [[nodiscard]] std::vector<IndexRange> planes(Side side, int rank, int chunk) const;

  /// Boxes of a rank's destination that no element reaches and that are set to zero with this
  /// chunk, as first indices and counts; disjoint.
  struct Gap {
    Long3 first{};
    Long3 count{};
  };
  [[nodiscard]] std::vector<Gap> gaps(int rank, int chunk) const;

private:
  [[nodiscard]] bool has_all(Side side) const { return (side == Side::to) == shape_.expands; }
  [[nodiscard]] const Cut& cut(Side side) const {
    return side == Side::from ? shape_.from : shape_.to;
  }
  /// Number of kept indices along an axis that are below an index of all.
  [[nodiscard]] std::int64_t kept_below(int axis, std::int64_t index) const;
  /// The kept indices of a rank along the axis that is cut on this side.
  [[nodiscard]] IndexRange own_kept(Side side, int rank) const;
  /// The part of a range that belongs to a chunk.
  [[nodiscard]] IndexRange chunk_of(const IndexRange& range, int chunk) const;
  /// All segments of a rank's array along an axis in a chunk.
  [[nodiscard]] std::vector<Segment> all_segments(Side side, int rank, int axis, int chunk) const;

  TransposeShape shape_;
  int ranks_;
  int chunks_;
  int chunk_axis_;
  Long3 kept_count_{};
  std::array<std::vector<std::int64_t>, 2> first_;  ///< of each rank's block; then the end
};

/// The first fault of a shape for this number of ranks, if there is one.
std::optional<Error> shape_error(const TransposeShape& shape, int ranks);

/// The axis that a transpose cuts neither before nor after.
constexpr int uncut_axis(const TransposeShape& shape) {
  return 3 - shape.from.axis - shape.to.axis;
}

/// How MPI, whose counts are ints, is given a number of equal items: as `pieces` pieces of `piece`
/// items and one of `rest` items.
struct Counted {
  std::int64_t pieces = 0;
  std::int64_t piece = 0;
  std::int64_t rest = 0;
};

/// @param items    >= 0
/// @param largest  the largest count that MPI can be given, >= 1
/// @throws Error if `largest` pieces do not suffice
Counted counted_items(std::int64_t items, std::int64_t largest);

/// Offsets of messages that follow each other in a buffer, in elements; then their sum.
std::vector<std::int64_t> message_offsets(std::span<const std::int64_t> elements);

}  // namespace plait::solve
