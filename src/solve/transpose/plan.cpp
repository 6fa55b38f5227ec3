// SPDX-License-Identifier: BSD-3-Clause
// The geometry of a transpose: which elements go from which rank to which, and where they are in
// the arrays of both.
#include "solve/transpose/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace plait::solve {
namespace {

constexpr std::array axis_names{"x", "y", "z"};

constexpr std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// Appends a range; joins it with the last one if they meet.
void append(std::vector<IndexRange>& ranges, const IndexRange& range) {
  if (range.count() == 0) return;
  if (!ranges.empty() && ranges.back().last == range.first) {
    ranges.back().last = range.last;
  } else {
    ranges.push_back(range);
  }
}

std::int64_t kept_of(const TransposeShape& shape, std::size_t axis) {
  if (shape.kept[axis].empty()) return shape.extents[axis];
  std::int64_t count = 0;
  for (const IndexRange& range : shape.kept[axis]) count += range.count();
  return count;
}

std::optional<Error> kept_error(const TransposeShape& shape) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::int64_t end = 0;
    for (const IndexRange& range : shape.kept[axis]) {
      if (range.first < end || range.last < range.first || range.last > shape.extents[axis]) {
        return Error(fmt::format("transpose with kept indices {} to {}", range.first, range.last),
                     fmt::format("they overlap, descend or are outside of the {} indices along {}",
                                 shape.extents[axis], axis_names[axis]),
                     "give ascending ranges that do not overlap");
      }
      end = range.last;
    }
  }
  return std::nullopt;
}

std::optional<Error> cut_error(const TransposeShape& shape, bool all, const Cut& cut, int ranks) {
  std::array<int, 3> axes = cut.order;
  std::ranges::sort(axes);
  if (axes != std::array{0, 1, 2}) {
    return Error("transpose", "an order does not have each axis once",
                 "give a permutation of 0, 1 and 2");
  }
  if (std::ranges::any_of(cut.strides, [](std::int64_t stride) { return stride < 0; })) {
    return Error("transpose", "a stride is negative", "give strides in elements, or all 0");
  }
  if (cut.blocks.empty()) return std::nullopt;
  const auto axis = index(cut.axis);
  const std::int64_t indices = all ? shape.extents[axis] : kept_of(shape, axis);
  const bool negative =
      std::ranges::any_of(cut.blocks, [](std::int64_t block) { return block < 0; });
  const auto sum = std::accumulate(cut.blocks.begin(), cut.blocks.end(), std::int64_t{0});
  if (negative || sum != indices || cut.blocks.size() != index(ranks)) {
    return Error(
        fmt::format("transpose with {} blocks along {}", cut.blocks.size(), axis_names[axis]),
        fmt::format("they have {} indices, but {} ranks share {}", sum, ranks, indices),
        "give one block per rank, or none to divide the axis evenly");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> shape_error(const TransposeShape& shape, int ranks) {
  const auto outside = [](int axis) { return axis < 0 || axis > 2; };
  if (outside(shape.from.axis) || outside(shape.to.axis) || shape.from.axis == shape.to.axis) {
    return Error(fmt::format("transpose from axis {} to axis {}", shape.from.axis, shape.to.axis),
                 "not two different axes", "give 0 for x, 1 for y or 2 for z");
  }
  if (std::ranges::any_of(shape.extents, [](std::int64_t extent) { return extent < 0; })) {
    return Error(fmt::format("transpose of {} x {} x {} elements", shape.extents[0],
                             shape.extents[1], shape.extents[2]),
                 "an extent is negative", "give 0 or more");
  }
  if (shape.element_bytes == 0 || shape.fields < 1) {
    return Error(fmt::format("transpose of {} fields with elements of {} bytes", shape.fields,
                             shape.element_bytes),
                 "nothing to move", "give at least 1 of each");
  }
  if (auto wrong = kept_error(shape)) return wrong;
  if (auto wrong = cut_error(shape, !shape.expands, shape.from, ranks)) return wrong;
  return cut_error(shape, shape.expands, shape.to, ranks);
}

TransposeGeometry::TransposeGeometry(const TransposeShape& shape, int ranks, int chunks,
                                     int chunk_axis)
    : shape_(shape), ranks_(ranks), chunks_(chunks), chunk_axis_(chunk_axis) {
  for (std::size_t axis = 0; axis < 3; ++axis) kept_count_[axis] = kept_of(shape, axis);
  for (const Side side : {Side::from, Side::to}) {
    const auto axis = index(cut(side).axis);
    const std::int64_t indices = has_all(side) ? shape.extents[axis] : kept_count_[axis];
    std::vector<std::int64_t>& first = first_[side == Side::from ? 0 : 1];
    first.push_back(0);
    for (int rank = 0; rank < ranks; ++rank) {
      const std::int64_t even = indices / ranks + (rank < indices % ranks ? 1 : 0);
      first.push_back(first.back() +
                      (cut(side).blocks.empty() ? even : cut(side).blocks[index(rank)]));
    }
  }
}

IndexRange TransposeGeometry::own(Side side, int rank) const {
  const std::vector<std::int64_t>& first = first_[side == Side::from ? 0 : 1];
  return {first[index(rank)], first[index(rank) + 1]};
}

Long3 TransposeGeometry::extents(Side side, int rank) const {
  Long3 result = has_all(side) ? shape_.extents : kept_count_;
  result[index(cut(side).axis)] = own(side, rank).count();
  return result;
}

Long3 TransposeGeometry::packed_strides(Side side, const Long3& extents) const {
  Long3 strides{};
  std::int64_t stride = 1;
  for (const int axis : cut(side).order) {
    strides[index(axis)] = stride;
    stride *= extents[index(axis)];
  }
  return strides;
}

std::int64_t TransposeGeometry::kept_below(int axis, std::int64_t all) const {
  const std::vector<IndexRange>& kept = shape_.kept[index(axis)];
  if (kept.empty()) return all;
  std::int64_t count = 0;
  for (const IndexRange& range : kept) {
    count += IndexRange{range.first, std::min(range.last, all)}.count();
  }
  return count;
}

IndexRange TransposeGeometry::own_kept(Side side, int rank) const {
  const IndexRange indices = own(side, rank);
  if (!has_all(side)) return indices;
  const int axis = cut(side).axis;
  return {kept_below(axis, indices.first), kept_below(axis, indices.last)};
}

IndexRange TransposeGeometry::chunk_of(const IndexRange& range, int chunk) const {
  if (chunk == whole_transpose) return range;
  // Not count * chunk / chunks, which might exceed 64 bits.
  const std::int64_t each = range.count() / chunks_;
  const std::int64_t larger = range.count() % chunks_;
  const auto begin = [&](std::int64_t c) { return range.first + c * each + std::min(c, larger); };
  return {begin(chunk), begin(chunk + 1)};
}

KeptBox TransposeGeometry::box(int sender, int receiver, int chunk) const {
  KeptBox box;
  for (std::size_t axis = 0; axis < 3; ++axis) box.range[axis] = {0, kept_count_[axis]};
  box.range[index(shape_.from.axis)] = own_kept(Side::from, sender);
  box.range[index(shape_.to.axis)] = own_kept(Side::to, receiver);
  IndexRange& divided = box.range[index(chunk_axis_)];
  divided = chunk_of(divided, chunk);
  return box;
}

std::vector<Segment> TransposeGeometry::segments(Side side, int rank, int axis,
                                                 const IndexRange& kept) const {
  if (kept.count() == 0) return {};
  const std::int64_t offset = cut(side).axis == axis ? own(side, rank).first : 0;
  if (!has_all(side) || shape_.kept[index(axis)].empty()) {
    return {{kept.first, kept.first - offset, kept.count()}};
  }
  std::vector<Segment> result;
  std::int64_t before = 0;
  for (const IndexRange& range : shape_.kept[index(axis)]) {
    const std::int64_t first = std::max(kept.first, before);
    const std::int64_t last = std::min(kept.last, before + range.count());
    if (first < last) {
      result.push_back({first, range.first + (first - before) - offset, last - first});
    }
    before += range.count();
  }
  return result;
}

std::vector<Segment> TransposeGeometry::all_segments(Side side, int rank, int axis,
                                                     int chunk) const {
  // Of the axis that the other side cuts, this array has the indices of all ranks.
  const int of_chunk = axis == chunk_axis_ ? chunk : whole_transpose;
  const Side other = side == Side::from ? Side::to : Side::from;
  std::vector<IndexRange> ranges;
  if (axis == cut(side).axis) {
    append(ranges, chunk_of(own_kept(side, rank), of_chunk));
  } else if (axis == cut(other).axis) {
    for (int r = 0; r < ranks_; ++r) append(ranges, chunk_of(own_kept(other, r), of_chunk));
  } else {
    append(ranges, chunk_of({0, kept_count_[index(axis)]}, of_chunk));
  }
  std::vector<Segment> result;
  for (const IndexRange& range : ranges) {
    const std::vector<Segment> more = segments(side, rank, axis, range);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

std::vector<IndexRange> TransposeGeometry::planes(Side side, int rank, int chunk) const {
  std::vector<IndexRange> result;
  for (const Segment& segment : all_segments(side, rank, chunk_axis_, chunk)) {
    append(result, {segment.local, segment.local + segment.count});
  }
  return result;
}

std::vector<TransposeGeometry::Gap> TransposeGeometry::gaps(int rank, int chunk) const {
  if (!has_all(Side::to)) return {};
  const Long3 all = extents(Side::to, rank);
  const auto filled = [&](int axis, int of_chunk) {
    std::vector<IndexRange> ranges;
    for (const Segment& s : all_segments(Side::to, rank, axis, of_chunk)) {
      append(ranges, {s.local, s.local + s.count});
    }
    return ranges;
  };
  const auto empty = [&](int axis) {
    std::vector<IndexRange> ranges;
    std::int64_t end = 0;
    for (const IndexRange& range : filled(axis, whole_transpose)) {
      append(ranges, {end, range.first});
      end = range.last;
    }
    append(ranges, {end, all[index(axis)]});
    return ranges;
  };
  std::vector<Gap> result;
  const auto add = [&](const std::array<std::vector<IndexRange>, 3>& ranges,
                       const std::array<int, 3>& axes) {
    for (const IndexRange& a : ranges[0]) {
      for (const IndexRange& b : ranges[1]) {
        for (const IndexRange& c : ranges[2]) {
          Gap gap;
          const std::array<const IndexRange*, 3> of{&a, &b, &c};
          for (std::size_t i = 0; i < 3; ++i) {
            gap.first[index(axes[i])] = of[i]->first;
            gap.count[index(axes[i])] = of[i]->count();
          }
          if (gap.count[0] * gap.count[1] * gap.count[2] > 0) result.push_back(gap);
        }
      }
    }
  };
  const auto everything = [&](int axis) { return std::vector<IndexRange>{{0, all[index(axis)]}}; };
  const int u = (chunk_axis_ + 1) % 3;
  const int v = (chunk_axis_ + 2) % 3;
  const std::array<int, 3> axes{chunk_axis_, u, v};
  if (chunk <= 0) add({empty(chunk_axis_), everything(u), everything(v)}, axes);
  add({filled(chunk_axis_, chunk), empty(u), everything(v)}, axes);
  add({filled(chunk_axis_, chunk), filled(u, whole_transpose), empty(v)}, axes);
  return result;
}

Counted counted_items(std::int64_t items, std::int64_t largest) {
  if (items <= largest) return {0, 0, items};
  Counted result{items / largest, largest, items % largest};
  if (result.pieces > largest) {
    throw Error(fmt::format("transpose with a message of {} elements", items),
                "more than MPI can count", "use more ranks or more chunks");
  }
  return result;
}

std::vector<std::int64_t> message_offsets(std::span<const std::int64_t> elements) {
  std::vector<std::int64_t> offsets{0};
  for (const std::int64_t count : elements) offsets.push_back(offsets.back() + count);
  return offsets;
}

}  // namespace plait::solve

namespace plait {

TransposeShape reversed(const TransposeShape& shape) {
  TransposeShape back = shape;
  std::swap(back.from, back.to);
  back.expands = !shape.expands;
  return back;
}

}  // namespace plait
