// SPDX-License-Identifier: BSD-3-Clause
// The serial reference, written as plainly as possible and without the library's parallel parts,
// and its bitwise comparison with a distributed result.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fields.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/field.hpp"
#include "problem.hpp"

namespace plait::jacobi {

/// The whole grid on rank 0, with the same start as the distributed fields.
class Reference {
public:
  /// Gathers the current values and the right-hand side. Collective.
  Reference(const CartesianGrid& grid, const Problem& problem, const Fields& fields);

  /// Sweeps the whole grid `steps` times on rank 0; does nothing on other ranks.
  void advance(int steps);

  /// The current values of this rank's own cells. Collective.
  [[nodiscard]] Field<double> own_cells() const;

private:
  [[nodiscard]] std::size_t at(int i, int j, int k) const;
  void mirror_and_wrap();

  const CartesianGrid& grid_;
  const Problem& problem_;
  std::vector<double> now_;  ///< with one layer of ghosts
  std::vector<double> next_;
  std::vector<double> source_;  ///< without ghosts; empty: none
};

/// Number of own cells of all ranks that differ in any bit. Collective; the same on all ranks.
std::int64_t cells_unlike(const CartesianGrid& grid, const Field<double>& field,
                          const Field<double>& expected);

}  // namespace plait::jacobi
