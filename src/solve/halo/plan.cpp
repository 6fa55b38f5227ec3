// SPDX-License-Identifier: BSD-3-Clause
// The geometry of a halo: which cells go to which neighbour and where each ghost comes from.
#include "solve/halo/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace plait::solve {
namespace {

constexpr int box_itself = 13;

Int3 face(int axis, int upper) {
  Int3 direction{};
  direction[static_cast<std::size_t>(axis)] = upper == 0 ? -1 : 1;
  return direction;
}

}  // namespace

std::vector<Int3> halo_directions(bool edges_and_corners) {
  std::vector<Int3> directions;
  for (int index = 0; index < 27; ++index) {
    const Int3 d = direction_at(index);
    const int axes = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]);
    if (axes == 1 || (edges_and_corners && axes > 1)) directions.push_back(d);
  }
  return directions;
}

bool HaloShape::open(int axis, int upper) const {
  return neighbour_at(face(axis, upper)) == no_rank;
}

bool HaloShape::mirrored(int axis, int upper) const {
  const auto side = 2 * static_cast<std::size_t>(axis) + static_cast<std::size_t>(upper);
  return open(axis, upper) && sides[side] == Side::mirror;
}

Box send_box(const HaloShape& shape, const Int3& direction) {
  Box box{{0, 0, 0}, shape.own};
  for (std::size_t d = 0; d < 3; ++d) {
    if (direction[d] < 0) box.last[d] = shape.width;
    if (direction[d] > 0) box.first[d] = shape.own[d] - shape.width;
  }
  return box;
}

Box ghost_box(const HaloShape& shape, const Int3& direction) {
  Box box{{0, 0, 0}, shape.own};
  for (std::size_t d = 0; d < 3; ++d) {
    if (direction[d] < 0) {
      box.first[d] = -shape.width;
      box.last[d] = 0;
    }
    if (direction[d] > 0) {
      box.first[d] = shape.own[d];
      box.last[d] = shape.own[d] + shape.width;
    }
  }
  return box;
}

int thin_axis(const HaloShape& shape) {
  for (int axis = 0; axis < 3; ++axis) {
    if (shape.own[static_cast<std::size_t>(axis)] >= shape.width) continue;
    for (const int upper : {0, 1}) {
      if (!shape.open(axis, upper) || shape.mirrored(axis, upper)) return axis;
    }
  }
  return -1;
}

std::vector<HaloPeer> halo_peers(const HaloShape& shape) {
  std::vector<HaloPeer> peers;
  for (const Int3& direction : halo_directions(shape.edges_and_corners)) {
    const int rank = shape.neighbour_at(direction);
    if (rank == no_rank || rank == shape.rank) continue;
    auto peer = std::find_if(peers.begin(), peers.end(),
                             [rank](const HaloPeer& known) { return known.rank == rank; });
    if (peer == peers.end()) peer = peers.insert(peers.end(), {rank, {}, {}});
    peer->send.push_back(direction);
    // Directions of travel in rising order are directions of ghosts in falling order.
    peer->receive.insert(peer->receive.begin(), direction);
  }
  std::sort(peers.begin(), peers.end(),
            [](const HaloPeer& a, const HaloPeer& b) { return a.rank < b.rank; });
  return peers;
}

std::vector<GhostFill> ghost_fills(const HaloShape& shape, const std::vector<HaloPeer>& peers) {
  std::vector<GhostFill> fills;
  for (const Int3& ghost : halo_directions(shape.edges_and_corners)) {
    GhostFill fill{ghost, -1, ghost, {}, {1, 1, 1}, false};
    for (std::size_t d = 0; d < 3; ++d) {
      const int axis = static_cast<int>(d);
      if (ghost[d] != 0 && shape.mirrored(axis, ghost[d] > 0 ? 1 : 0)) {
        fill.region[d] = 0;
        fill.step[d] = -1;
        fill.mirror = true;
      }
    }
    const bool from_itself = direction_index(fill.region) == box_itself;
    const int source = from_itself ? shape.rank : shape.neighbour_at(fill.region);
    if (source == no_rank && !fill.mirror) continue;  // a fixed side
    // A periodic axis with one rank: read the own cells instead of a message.
    const bool periodic_copy = source == shape.rank && !from_itself;
    const Box box =
        periodic_copy ? send_box(shape, opposite(fill.region)) : ghost_box(shape, fill.region);
    for (std::size_t d = 0; d < 3; ++d) {
      const int nearest = ghost[d] < 0 ? shape.width - 1 : shape.own[d] - 1;
      fill.first[d] = fill.step[d] < 0 ? nearest : box.first[d];
    }
    for (std::size_t p = 0; p < peers.size(); ++p) {
      if (peers[p].rank == source) fill.peer = static_cast<int>(p);
    }
    fills.push_back(fill);
  }
  return fills;
}

Box halo_interior(const HaloShape& shape) {
  Box interior{{0, 0, 0}, shape.own};
  for (std::size_t d = 0; d < 3; ++d) {
    const int axis = static_cast<int>(d);
    const auto margin = [&](int upper) {
      return shape.open(axis, upper) && !shape.mirrored(axis, upper) ? 0 : shape.width;
    };
    interior.first[d] += margin(0);
    interior.last[d] -= margin(1);
  }
  return interior.empty() ? Box{} : interior;
}

std::vector<Box> halo_boundary(const Box& own, const Box& interior) {
  if (interior.empty()) return {own};
  std::vector<Box> boxes;
  Box rest = own;
  for (const std::size_t d : {2U, 1U, 0U}) {
    Box low = rest;
    low.last[d] = interior.first[d];
    Box high = rest;
    high.first[d] = interior.last[d];
    for (const Box& box : {low, high}) {
      if (!box.empty()) boxes.push_back(box);
    }
    rest.first[d] = interior.first[d];
    rest.last[d] = interior.last[d];
  }
  return boxes;
}

}  // namespace plait::solve
