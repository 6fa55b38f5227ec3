// SPDX-License-Identifier: BSD-3-Clause
// The geometry of a halo: which cells go to which neighbour, and where each ghost comes from. Knows
// no MPI.
#pragma once

#include <array>
#include <vector>

#include "plait/box.hpp"
#include "plait/side.hpp"

namespace plait::solve {

/// Stands for a rank where the grid ends.
constexpr int no_rank = -1;

/// Directions are offsets of -1, 0 or 1 along each axis. Their indices run from 0 to 26; 13 is the
/// box itself.
constexpr int direction_index(const Int3& direction) {
  return (direction[0] + 1) + 3 * (direction[1] + 1) + 9 * (direction[2] + 1);
}
constexpr Int3 direction_at(int index) {
  return {index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1};
}
constexpr Int3 opposite(const Int3& direction) {
  return {-direction[0], -direction[1], -direction[2]};
}

/// The six faces, or all 26 directions, by rising index.
std::vector<Int3> halo_directions(bool edges_and_corners);

/// What one rank's halo looks like.
struct HaloShape {
  Int3 own{};                       ///< own cells
  int width = 1;                    ///< ghost layers that are filled
  bool edges_and_corners = false;   ///< also where two or three sides meet
  std::array<Side, 6> sides{};      ///< x low, x high, y low, y high, z low, z high
  int rank = 0;                     ///< this rank
  std::array<int, 27> neighbour{};  ///< rank in each direction; no_rank beyond an open end

  [[nodiscard]] int neighbour_at(const Int3& direction) const {
    return neighbour[static_cast<std::size_t>(direction_index(direction))];
  }
  /// Whether the low (upper = 0) or high (1) end of an axis is an end of the grid, and a mirror.
  [[nodiscard]] bool open(int axis, int upper) const;
  [[nodiscard]] bool mirrored(int axis, int upper) const;
};

/// Own cells that the neighbour in some direction needs, and the ghosts in some direction; local.
Box send_box(const HaloShape& shape, const Int3& direction);
Box ghost_box(const HaloShape& shape, const Int3& direction);

/// The first axis along which the box has too few cells to fill a neighbour's or a mirror's ghosts;
/// -1 when there is none.
int thin_axis(const HaloShape& shape);

/// What one message brings to one other rank and what comes back. The regions of both are ordered
/// by the index of the direction in which they travel, so that the two ranks agree, also where they
/// are neighbours on several sides.
struct HaloPeer {
  int rank = no_rank;
  std::vector<Int3> send;     ///< directions of send_box()
  std::vector<Int3> receive;  ///< directions of ghost_box()
};

/// All other ranks that this one exchanges with, by rising rank.
std::vector<HaloPeer> halo_peers(const HaloShape& shape);

/// Where the ghosts in one direction come from.
struct GhostFill {
  Int3 ghost{};   ///< direction of the ghosts
  int peer = -1;  ///< index of the peer whose message has the values; -1: this rank's own field
  Int3 region{};  ///< with a peer: the ghosts that the message was meant for; the values may also
                  ///< be read there once they have been written
  Int3 first{};   ///< cell from which the first ghost (lowest indices) takes its value; local
  Int3 step{};    ///< 1 or, on a mirrored axis, -1: where the next ghost's value lies
  bool mirror = false;  ///< whether some axis is mirrored
};

/// All ghosts that an exchange fills, each once. No fill reads what another fill writes, other than
/// through `region`. Mirrored sides count axis by axis, x first: where a mirrored and a fixed side
/// meet, the fixed ghosts are mirrored.
std::vector<GhostFill> ghost_fills(const HaloShape& shape, const std::vector<HaloPeer>& peers);

/// Own cells farther than the width from all sides that are not open and fixed; may be empty.
Box halo_interior(const HaloShape& shape);
/// The own cells outside `interior` as disjoint boxes, at most six.
std::vector<Box> halo_boundary(const Box& own, const Box& interior);

}  // namespace plait::solve
