// SPDX-License-Identifier: BSD-3-Clause
// The reference exchange for verify mode: one plain message per box on scratch copies, compared bit
// by bit. It shares the halo's geometry with what it checks, but not its copies or its transport.
#include <cstring>

#include "solve/halo/state.hpp"

namespace plait {
namespace {

using solve::HaloShape;

/// A copy of a field with ghosts up to the halo's width.
class Scratch {
public:
  Scratch(const FieldView& view, const HaloShape& shape)
      : bytes_(view.element_bytes),
        all_(grown({{0, 0, 0}, shape.own}, shape.width)),
        memory_(static_cast<std::size_t>(all_.cells()) * bytes_) {
    each(all_, [&](int i, int j, int k) { std::memcpy(at(i, j, k), view.at(i, j, k), bytes_); });
  }

  [[nodiscard]] std::byte* at(int i, int j, int k) {
    const auto row = (std::int64_t{k} - all_.first[2]) * all_.extent(1) + (j - all_.first[1]);
    const auto cell = row * all_.extent(0) + (i - all_.first[0]);
    return memory_.data() + static_cast<std::size_t>(cell) * bytes_;
  }

  template <class Use>
  static void each(const Box& box, Use&& use) {
    for (int k = box.first[2]; k < box.last[2]; ++k) {
      for (int j = box.first[1]; j < box.last[1]; ++j) {
        for (int i = box.first[0]; i < box.last[0]; ++i) use(i, j, k);
      }
    }
  }

  std::vector<std::byte> gather(const Box& box) {
    std::vector<std::byte> message;
    each(box, [&](int i, int j, int k) {
      message.insert(message.end(), at(i, j, k), at(i, j, k) + bytes_);
    });
    return message;
  }

  void scatter(const Box& box, const std::vector<std::byte>& message) {
    std::size_t place = 0;
    each(box, [&](int i, int j, int k) {
      std::memcpy(at(i, j, k), message.data() + place, bytes_);
      place += bytes_;
    });
  }

  /// Fills the mirrored ghosts of one axis: all its layers if edges are filled, otherwise only
  /// those beside own cells.
  void mirror(const HaloShape& shape, int axis) {
    const auto d = static_cast<std::size_t>(axis);
    for (const int upper : {0, 1}) {
      if (!shape.mirrored(axis, upper)) continue;
      Box ghosts = shape.edges_and_corners ? all_ : Box{{0, 0, 0}, shape.own};
      ghosts.first[d] = upper == 0 ? -shape.width : shape.own[d];
      ghosts.last[d] = upper == 0 ? 0 : shape.own[d] + shape.width;
      const int sum = upper == 0 ? -1 : 2 * shape.own[d] - 1;
      each(ghosts, [&](int i, int j, int k) {
        Int3 source{i, j, k};
        source[d] = sum - source[d];
        std::memcpy(at(i, j, k), at(source[0], source[1], source[2]), bytes_);
      });
    }
  }

  std::int64_t unlike(const FieldView& view) {
    std::int64_t count = 0;
    each(all_, [&](int i, int j, int k) {
      if (std::memcmp(at(i, j, k), view.at(i, j, k), bytes_) != 0) ++count;
    });
    return count;
  }

private:
  std::size_t bytes_;
  Box all_;
  std::vector<std::byte> memory_;
};

}  // namespace

std::int64_t Halo::unlike_blocking(std::span<const FieldView> fields) const {
  const HaloShape& shape = plan_->shape;
  const std::vector<Int3> directions = solve::halo_directions(shape.edges_and_corners);
  std::vector<Scratch> scratch;
  for (const FieldView& view : fields) scratch.emplace_back(view, shape);

  // One message per field and direction; the tag encodes the direction of travel and the field.
  std::vector<std::vector<std::byte>> messages(2 * fields.size() * directions.size());
  std::vector<MPI_Request> requests;
  auto out = messages.begin();
  auto in = messages.begin() + static_cast<std::ptrdiff_t>(messages.size() / 2);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (const Int3& direction : directions) {
      const int rank = shape.neighbour_at(direction);
      *out = scratch[f].gather(solve::send_box(shape, direction));
      *in = scratch[f].gather(solve::ghost_box(shape, direction));
      if (rank != solve::no_rank) {
        const auto tag = [f](const Int3& travel) {
          return solve::direction_index(travel) + 27 * static_cast<int>(f);
        };
        const int bytes = static_cast<int>(out->size());
        MPI_Irecv(in->data(), bytes, MPI_BYTE, rank, tag(solve::opposite(direction)), plan_->comm,
                  &requests.emplace_back());
        MPI_Isend(out->data(), bytes, MPI_BYTE, rank, tag(direction), plan_->comm,
                  &requests.emplace_back());
      }
      ++out;
      ++in;
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);

  std::int64_t count = 0;
  in = messages.begin() + static_cast<std::ptrdiff_t>(messages.size() / 2);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    for (const Int3& direction : directions) {
      scratch[f].scatter(solve::ghost_box(shape, direction), *in++);
    }
    for (const int axis : {0, 1, 2}) scratch[f].mirror(shape, axis);
    count += scratch[f].unlike(fields[f]);
  }
  return count;
}

}  // namespace plait
