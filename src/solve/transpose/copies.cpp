// SPDX-License-Identifier: BSD-3-Clause
// The copies of a chunk of a transpose between arrays, message buffers and the window.
#include "solve/transpose/copies.hpp"

#include <algorithm>

namespace plait::solve {
namespace {

/// Where the elements of a box are: in an array or in a message.
struct Place {
  std::array<std::vector<Segment>, 3> segments;
  Long3 strides{};          ///< in elements
  std::int64_t offset = 0;  ///< in elements
};

/// The box in the array of a rank.
Place in_array(const TransposeGeometry& geometry, Side side, int rank, const KeptBox& box,
               const Long3& strides) {
  Place place;
  for (int axis = 0; axis < 3; ++axis) {
    const auto d = static_cast<std::size_t>(axis);
    place.segments[d] = geometry.segments(side, rank, axis, box.range[d]);
  }
  place.strides = strides;
  return place;
}

/// The box in a message, in the order of memory of the side that receives.
Place in_message(const TransposeGeometry& geometry, const KeptBox& box, std::int64_t offset) {
  Place place;
  Long3 extents{};
  for (std::size_t d = 0; d < 3; ++d) {
    extents[d] = box.range[d].count();
    place.segments[d] = {{box.range[d].first, 0, extents[d]}};
  }
  place.strides = geometry.packed_strides(Side::to, extents);
  place.offset = offset;
  return place;
}

/// Indices along an axis that are consecutive in both places.
struct Piece {
  std::int64_t from = 0, to = 0, count = 0;
};

std::vector<Piece> common(const std::vector<Segment>& from, const std::vector<Segment>& to) {
  std::vector<Piece> result;
  for (const Segment& a : from) {
    for (const Segment& b : to) {
      const std::int64_t first = std::max(a.kept, b.kept);
      const std::int64_t last = std::min(a.kept + a.count, b.kept + b.count);
      if (first >= last) continue;
      result.push_back({a.local + first - a.kept, b.local + first - b.kept, last - first});
    }
  }
  return result;
}

/// Adds the copies of a box in all fields.
class Adder {
public:
  Adder(const TransposeGeometry& geometry)
      : fields_(geometry.shape().fields),
        bytes_(static_cast<std::int64_t>(geometry.shape().element_bytes)) {}

  /// @param from_memory, to_memory  give the index of a field's memory
  /// @param from_field, to_field    distance of fields within that memory, in elements
  template <class FromMemory, class ToMemory>
  void add(StridedCopies& copies, const Place& from, FromMemory&& from_memory,
           std::int64_t from_field, const Place& to, ToMemory&& to_memory,
           std::int64_t to_field) const {
    std::array<std::vector<Piece>, 3> pieces;
    for (std::size_t d = 0; d < 3; ++d) pieces[d] = common(from.segments[d], to.segments[d]);
    for (int field = 0; field < fields_; ++field) {
      for (const Piece& z : pieces[2]) {
        for (const Piece& y : pieces[1]) {
          for (const Piece& x : pieces[0]) {
            copies.add(end(from, from_memory(field), {x.from, y.from, z.from}, field * from_field),
                       end(to, to_memory(field), {x.to, y.to, z.to}, field * to_field),
                       {x.count, y.count, z.count}, static_cast<std::size_t>(bytes_));
          }
        }
      }
    }
  }

  [[nodiscard]] StridedEnd end(const Place& place, int memory, const Long3& at,
                               std::int64_t field_offset) const {
    StridedEnd result;
    result.memory = memory;
    result.offset = place.offset + field_offset;
    for (std::size_t d = 0; d < 3; ++d) {
      result.offset += at[d] * place.strides[d];
      result.stride[d] = place.strides[d] * bytes_;
    }
    result.offset *= bytes_;
    return result;
  }

private:
  int fields_;
  std::int64_t bytes_;
};

}  // namespace

TransposeCopies transpose_copies(const TransposeGeometry& geometry, const CopyPlan& plan, int chunk,
                                 const std::vector<std::int64_t>& send_offset,
                                 const std::vector<std::int64_t>& receive_offset) {
  TransposeCopies copies;
  const Adder adder(geometry);
  const MemoryIndex memory{geometry.shape().fields};
  const int me = plan.rank;
  const auto from = [&](int field) { return memory.from(field); };
  const auto to = [&](int field) { return memory.to(field); };
  for (int peer = 0; peer < geometry.ranks(); ++peer) {
    const auto p = static_cast<std::size_t>(peer);
    const KeptBox out = geometry.box(me, peer, chunk);
    const KeptBox in = geometry.box(peer, me, chunk);
    const Place source = in_array(geometry, Side::from, me, out, plan.from_strides);
    const Place target = in_array(geometry, Side::to, me, in, plan.to_strides);
    switch (plan.route[p]) {
      case Route::own:
        adder.add(copies.own, source, from, 0, target, to, 0);
        break;
      case Route::packed:
        adder.add(
            copies.pack, source, from, 0, in_message(geometry, out, send_offset[p]),
            [&](int) { return memory.send_buffer(); }, out.elements());
        adder.add(
            copies.unpack, in_message(geometry, in, receive_offset[p]),
            [&](int) { return memory.receive_buffer(); }, in.elements(), target, to, 0);
        break;
      case Route::shared:
        adder.add(
            copies.share, source, from, 0,
            in_array(geometry, Side::from, me, out,
                     plan.shared_strides[static_cast<std::size_t>(me)]),
            [&](int field) { return memory.shared(me, field); }, 0);
        adder.add(
            copies.unpack, in_array(geometry, Side::from, peer, in, plan.shared_strides[p]),
            [&](int field) { return memory.shared(peer, field); }, 0, target, to, 0);
        break;
      case Route::datatypes:
        break;
    }
  }
  Place zeros;
  zeros.strides = plan.to_strides;
  for (const TransposeGeometry::Gap& gap : geometry.gaps(me, chunk)) {
    for (int field = 0; field < geometry.shape().fields; ++field) {
      copies.unpack.add_zeros(adder.end(zeros, memory.to(field), gap.first, 0), gap.count,
                              geometry.shape().element_bytes);
    }
  }
  return copies;
}

}  // namespace plait::solve
