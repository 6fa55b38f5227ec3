// SPDX-License-Identifier: BSD-3-Clause
// The geometry of a halo: which cells go to which neighbour and where each ghost comes from. Does
// not use MPI.
#pragma once

#include <array>
#include <vector>

#include "plait/box.hpp"
#include "plait/side.hpp"

namespace plait::solve {

/// Marks the end of the grid in place of a neighbour's rank.
constexpr int no_rank = -1;

/// Directions are offsets of -1, 0 or 1 along each axis. Their indices run from 0 to 26; index 13
/// is the box itself.
constexpr int direction_index(const Int3& direction) {
  return (direction[0] + 1) + 3 * (direction[1] + 1) + 9 * (direction[2] + 1);
}
constexpr Int3 direction_at(int index) {
  return {index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1};
}
constexpr Int3 opposite(const Int3& direction) {
  return {-direction[0], -direction[1], -direction[2]};
}

/// The six faces or all 26 directions, by rising index.
std::vector<Int3> halo_directions(bool edges_and_corners);

/// The parameters of one rank's halo.
struct HaloShape {
  Int3 own{};                       ///< own cells
  int width = 1;                    ///< ghost layers that are filled
  bool edges_and_corners = false;   ///< also fill ghosts where two or three sides meet
  std::array<Side, 6> sides{};      ///< x low, x high, y low, y high, z low, z high
  int rank = 0;                     ///< this rank
  std::array<int, 27> neighbour{};  ///< rank in each direction; no_rank beyond an open side

  [[nodiscard]] int neighbour_at(const Int3& direction) const {
    return neighbour[static_cast<std::size_t>(direction_index(direction))];
  }
  /// True if the low (upper = 0) or high (1) side of an axis is the end of the grid.
  [[nodiscard]] bool open(int axis, int upper) const;
  /// True if the side is the end of the grid and mirrored.
  [[nodiscard]] bool mirrored(int axis, int upper) const;
};

/// Own cells that the neighbour in a direction needs; local indices.
Box send_box(const HaloShape& shape, const Int3& direction);
/// Ghosts in a direction; local indices.
Box ghost_box(const HaloShape& shape, const Int3& direction);

/// The first axis along which the box has too few cells to fill the ghosts of a neighbour or a
/// mirror; -1 if there is none.
int thin_axis(const HaloShape& shape);

/// What this rank sends to and receives from one other rank, one message each. The regions of both
/// messages are ordered by the index of their direction of travel. So the two ranks agree on the
/// order even if they are neighbours on several sides.
struct HaloPeer {
  int rank = no_rank;
  std::vector<Int3> send;     ///< directions of send_box()
  std::vector<Int3> receive;  ///< directions of ghost_box()
};

/// All other ranks that this rank exchanges with, by rising rank.
std::vector<HaloPeer> halo_peers(const HaloShape& shape);

/// The source of the ghosts in one direction.
struct GhostFill {
  Int3 ghost{};   ///< direction of the ghosts
  int peer = -1;  ///< index of the peer whose message has the values; -1: this rank's own field
  Int3 region{};  ///< with a peer: the ghosts that the message is meant for; once these have been
                  ///< written, the values may also be read from there
  Int3 first{};   ///< cell that gives the first ghost (lowest indices) its value; local indices
  Int3 step{};    ///< offset to the next ghost's value: 1, or -1 on a mirrored axis
  bool mirror = false;  ///< whether some axis is mirrored
};

/// All ghosts that an exchange fills, each once. A fill reads what another fill writes only through
/// `region`. Mirrored sides are applied axis by axis, x first: where a mirrored and a fixed side
/// meet, the fixed ghosts are mirrored.
std::vector<GhostFill> ghost_fills(const HaloShape& shape, const std::vector<HaloPeer>& peers);

/// Own cells farther than the width from every side that is not open and fixed; may be empty.
Box halo_interior(const HaloShape& shape);
/// The own cells outside `interior` as disjoint boxes, at most six.
std::vector<Box> halo_boundary(const Box& own, const Box& interior);

}  // namespace plait::solve
