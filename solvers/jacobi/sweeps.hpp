// SPDX-License-Identifier: BSD-3-Clause
// The engine of the iteration: sweeps under a schedule, or several at once by temporal blocking.
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

/// Sweeps the fields of one rank. Everything is collective over the grid's communicator.
class Sweeps {
public:
  /// Ghost layers that the fields need.
  static int ghost(const CartesianGrid& grid, const Options& options);

  /// Fills the ghosts of the right-hand side. Keeps references to grid and fields.
  /// @throws CollectiveError when halo or schedule cannot be had
  Sweeps(const CartesianGrid& grid, const Problem& problem, const Options& options, Fields& fields);

  /// Goes on under another schedule; not with temporal blocking.
  /// @throws CollectiveError when it cannot be had
  void use(const Schedule& schedule, Order order);

  /// Makes one sweep: now becomes next, and next what was now.
  void one();
  /// Makes at most `most` sweeps, as many as one pass through memory does.
  /// @return how many; next holds nothing of use when it is more than one
  int some(int most);

  [[nodiscard]] const Halo& halo() const { return *halo_; }
  /// The schedule in use; with temporal blocking there is none.
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
  std::vector<std::optional<TemporalJacobi>> passes_;  ///< by their number of sweeps
  bool ghosts_valid_ = false;                          ///< of now; what Order::advance asks for
};

/// Ranks of the grid on the node of this one.
int ranks_on_this_node(const CartesianGrid& grid);

}  // namespace plait::jacobi
