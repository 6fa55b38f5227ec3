// SPDX-License-Identifier: BSD-3-Clause
// The messages of a halo: their contents, and the copies that pack and unpack them.
#include "solve/halo/messages.hpp"

#include <algorithm>

namespace plait::solve {
namespace {

Int3 extents(const Box& box) {
  return {box.extent(0), box.extent(1), box.extent(2)};
}

/// A place in a field: starts at a cell and steps forwards or backwards along each axis.
CopyEnd in_field(std::span<const FieldView> layout, std::size_t f, const Int3& first,
                 const Int3& step) {
  const FieldView& view = layout[f];
  const auto bytes = static_cast<std::ptrdiff_t>(view.element_bytes);
  const std::array<std::ptrdiff_t, 3> stride{bytes, view.stride_y * bytes, view.stride_z * bytes};
  CopyEnd end;
  end.memory = static_cast<int>(f);
  for (std::size_t d = 0; d < 3; ++d) {
    end.offset += first[d] * stride[d];
    end.stride[d] = step[d] * stride[d];
  }
  return end;
}

/// A place in the region of a message that contains `box`.
CopyEnd in_message(std::span<const FieldView> layout, std::size_t f, std::size_t message,
                   std::int64_t offset, const Box& box, const Int3& first, const Int3& step) {
  const auto bytes = static_cast<std::ptrdiff_t>(layout[f].element_bytes);
  const std::array<std::ptrdiff_t, 3> stride{bytes, bytes * box.extent(0),
                                             bytes * box.extent(0) * std::ptrdiff_t{box.extent(1)}};
  CopyEnd end;
  end.memory = static_cast<int>(layout.size() + message);
  end.offset = offset;
  for (std::size_t d = 0; d < 3; ++d) {
    end.offset += (first[d] - box.first[d]) * stride[d];
    end.stride[d] = step[d] * stride[d];
  }
  return end;
}

constexpr Int3 forwards{1, 1, 1};

}  // namespace

std::vector<HaloMessage> halo_messages(const HaloShape& shape, std::span<const FieldView> layout) {
  std::vector<HaloMessage> messages;
  for (const HaloPeer& peer : halo_peers(shape)) {
    HaloMessage message{peer, {}, 0};
    for (const Int3& direction : peer.send) {
      for (const FieldView& view : layout) {
        message.offset.push_back(message.bytes);
        message.bytes +=
            send_box(shape, direction).cells() * static_cast<std::int64_t>(view.element_bytes);
      }
    }
    messages.push_back(message);
  }
  return messages;
}

CopyList pack_copies(const HaloShape& shape, std::span<const FieldView> layout,
                     std::span<const HaloMessage> messages, const std::vector<bool>& packed) {
  CopyList copies;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    if (!packed[m]) continue;
    const HaloMessage& message = messages[m];
    for (std::size_t r = 0; r < message.peer.send.size(); ++r) {
      const Box box = send_box(shape, message.peer.send[r]);
      for (std::size_t f = 0; f < layout.size(); ++f) {
        copies.add({in_field(layout, f, box.first, forwards),
                    in_message(layout, f, m, message.offset[r * layout.size() + f], box, box.first,
                               forwards),
                    extents(box), layout[f].element_bytes});
      }
    }
  }
  return copies;
}

CopyList unpack_copies(const HaloShape& shape, std::span<const FieldView> layout,
                       std::span<const HaloMessage> messages, const std::vector<bool>& packed) {
  std::vector<HaloPeer> peers;
  for (const HaloMessage& message : messages) peers.push_back(message.peer);
  CopyList copies;
  for (const GhostFill& fill : ghost_fills(shape, peers)) {
    const auto m = static_cast<std::size_t>(fill.peer);
    const bool from_message = fill.peer >= 0 && packed[m];
    const bool arrives_there = fill.peer >= 0 && !packed[m] && !fill.mirror;
    if (arrives_there) continue;
    const Box ghosts = ghost_box(shape, fill.ghost);
    for (std::size_t f = 0; f < layout.size(); ++f) {
      CopyEnd from = in_field(layout, f, fill.first, fill.step);
      if (from_message) {
        const std::vector<Int3>& regions = messages[m].peer.receive;
        const auto r = static_cast<std::size_t>(
            std::find(regions.begin(), regions.end(), fill.region) - regions.begin());
        from = in_message(layout, f, m, messages[m].offset[r * layout.size() + f],
                          ghost_box(shape, fill.region), fill.first, fill.step);
      }
      copies.add({from, in_field(layout, f, ghosts.first, forwards), extents(ghosts),
                  layout[f].element_bytes});
    }
  }
  return copies;
}

}  // namespace plait::solve
