// SPDX-License-Identifier: BSD-3-Clause
// Several Jacobi sweeps at once on cells that stay in the caches: temporal blocking by a wavefront.
#pragma once

#include <array>

#include "plait/box.hpp"
#include "plait/field.hpp"
#include "plait/side.hpp"

namespace plait {

namespace detail {
struct JacobiRows;
}

/// Advances two fields by several sweeps with one pass through memory, by all threads of a rank: a
/// wavefront along z over slanted tiles of rows (Wittmann, Hager and Wellein, arXiv:0912.4506;
/// Stengel 2010, reference 16). The bits are those of as many calls of JacobiKernel with an
/// exchange of ghosts before each.
///
/// Ghosts as deep as the number of sweeps stand in for the exchanges between the sweeps: what a
/// neighbouring rank would compute near the common side is computed here, too, on a region that
/// shrinks by one layer a sweep.
class TemporalJacobi {
public:
  /// Local. @throws Error when `sweeps` or `threads` is below one.
  /// @param own            own cells of this rank
  /// @param sweeps         sweeps of one call, >= 1
  /// @param threads        OpenMP threads of a call, >= 1
  /// @param has_neighbour  x low, x high, y low, y high, z low, z high: whether the ghosts there
  ///                       come from a neighbour (or from this rank itself, on a periodic axis)
  /// @param sides          for the sides without a neighbour: fixed or mirror
  /// @param ranks_on_node  ranks that share the node's caches
  /// @param tile_rows      rows of a tile; 0: as many as keep all threads' waves in the caches
  TemporalJacobi(const Int3& own, int sweeps, int threads, const std::array<bool, 6>& has_neighbour,
                 const std::array<Side, 6>& sides, int ranks_on_node = 1, int tile_rows = 0);

  /// Advances by sweeps(). The result is in `a` when sweeps() is even, else in `b`; what the ghosts
  /// of neighbours and of mirror sides hold then is not of use.
  ///
  /// Before: `a` holds the present values; its ghosts of neighbours are valid sweeps() deep, with
  /// edges and corners. Both fields hold the fixed values in the ghosts of fixed sides one layer
  /// deep, as far along the side as the neighbours' ghosts reach. Mirrored ghosts of `a` need not
  /// be valid. `g` (h^2 f of Poisson's equation; nullptr: zero) is valid sweeps() - 1 deep.
  /// Local; uses OpenMP threads; allocates nothing large.
  /// @throws Error when a field has other own cells or too few ghost layers.
  void operator()(Field<double>& a, Field<double>& b, const Field<double>* g = nullptr) const;

  [[nodiscard]] int sweeps() const { return sweeps_; }
  [[nodiscard]] int threads() const { return threads_; }
  /// Ghost layers that both fields need: sweeps() where there is a neighbour, else one.
  [[nodiscard]] int ghost() const;
  /// Rows of a tile.
  [[nodiscard]] int tile_rows() const { return tile_rows_; }

private:
  Int3 own_{};
  int sweeps_ = 1;
  int threads_ = 1;
  std::array<bool, 6> has_neighbour_{};
  std::array<Side, 6> sides_{};
  int tile_rows_ = 1;
  const detail::JacobiRows* rows_ = nullptr;
};

}  // namespace plait
