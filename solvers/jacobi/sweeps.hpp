// SPDX-License-Identifier: BSD-3-Clause
// Sweeps the fields under a schedule, or several times per pass with temporal blocking.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fields.hpp"
#include "options.hpp"
#include "plait/cartesian_grid.hpp"
#include "plait/halo.hpp"
#include "plait/jacobi_kernel.hpp"
#include "plait/stepper.hpp"
#include "plait/temporal_jacobi.hpp"

namespace plait::jacobi {

/// Sweeps the fields of one rank. All functions are collective over the grid's communicator.
class Sweeps {
public:
  /// Ghost layers that the fields need.
  static int ghost(const CartesianGrid& grid, const Options& options);

  /// Fills the ghosts of the right-hand side. Keeps references to grid and fields.
  /// @throws CollectiveError if the halo or the schedule is not available
  Sweeps(const CartesianGrid& grid, const Problem& problem, const Options& options, Fields& fields);

  /// Continues under another schedule. Not allowed with temporal blocking.
  /// @throws CollectiveError if the schedule is not available
  void use(const Schedule& schedule, Order order);

  /// Makes one sweep: fields.next gets the old values, fields.now the new ones.
  void one();
  /// Makes at most `most` sweeps in one pass through memory.
  /// @return number of sweeps; if it is more than one, fields.next is undefined
  int some(int most);

  [[nodiscard]] const Halo& halo() const { return *halo_; }
  /// The stepper; nullptr with temporal blocking.
  [[nodiscard]] const Stepper* stepper() const { return stepper_ ? &*stepper_ : nullptr; }
  [[nodiscard]] bool streaming() const { return !temporal_ && kernel_->streaming(); }
  /// Rows of a block or, with temporal blocking, of a tile.
  [[nodiscard]] int block_rows() const;
  [[nodiscard]] const char* instruction_set() const { return kernel_->instruction_set(); }

private:
  void sweep_temporally(int sweeps);
  [[nodiscard]] const TemporalJacobi& pass_of(int sweeps);

  const CartesianGrid& grid_;
  Fields& fields_;
  Options options_;
  int ranks_on_node_ = 1;
  std::array<bool, 6> has_neighbour_{};
  std::array<Side, 6> sides_{};
  std::optional<JacobiKernel> kernel_;
  std::optional<Halo> halo_;
  std::optional<Stepper> stepper_;
  bool temporal_ = false;
  std::vector<std::optional<TemporalJacobi>> passes_;  ///< by number of sweeps
  bool ghosts_valid_ = false;                          ///< of fields.now; for Order::advance
};

}  // namespace plait::jacobi
