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

/// Advances two fields by several sweeps in one pass through memory, with all threads of a rank: a
/// wavefront along z over slanted tiles of rows (Wittmann, Hager and Wellein, arXiv:0912.4506;
/// Stengel 2010, reference 16). The bits are those of the same number of JacobiKernel sweeps with
/// an exchange of ghosts before each.
///
/// As many ghost layers as sweeps replace the exchanges between the sweeps: each rank also computes
/// what its neighbours compute near the common side, in a region that shrinks by one layer per
/// sweep.
class TemporalJacobi {
public:
  /// Local. @throws Error if `sweeps` or `threads` is less than 1
  /// @param own            own cells of this rank
  /// @param sweeps         sweeps of one call, >= 1
  /// @param threads        OpenMP threads of a call, >= 1
  /// @param has_neighbour  x low, x high, y low, y high, z low, z high: whether the ghosts there
  ///                       come from a rank (possibly this one, on a periodic axis)
  /// @param sides          fixed or mirror, for the sides without a neighbour
  /// @param ranks_on_node  ranks that share the node's caches
  /// @param tile_rows      rows of a tile; 0: as many as keep all wavefronts in the caches
  TemporalJacobi(const Int3& own, int sweeps, int threads, const std::array<bool, 6>& has_neighbour,
                 const std::array<Side, 6>& sides, int ranks_on_node = 1, int tile_rows = 0);

  /// Advances by sweeps(). The result is in `a` if sweeps() is even, otherwise in `b`. The ghosts
  /// of neighbours and of mirror sides are undefined afterwards.
  ///
  /// Before the call, `a` holds the current values, with valid ghosts of neighbours sweeps() deep,
  /// edges and corners included. Both fields hold the fixed values in one ghost layer of the fixed
  /// sides, extended along the side as far as the neighbours' ghosts. Mirrored ghosts of `a` need
  /// not be valid. `g` (h^2 f of Poisson's equation; nullptr: zero) is valid sweeps() - 1 deep.
  /// Local; uses OpenMP threads; makes no large allocation.
  /// @throws Error if a field has other own cells or too few ghost layers
  void operator()(Field<double>& a, Field<double>& b, const Field<double>* g = nullptr) const;

  [[nodiscard]] int sweeps() const { return sweeps_; }
  [[nodiscard]] int threads() const { return threads_; }
  /// Ghost layers that both fields need: sweeps() if there is a neighbour, otherwise one.
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
