// SPDX-License-Identifier: BSD-3-Clause
// The block LU factorization: its steps, and the schedules that order them.
#pragma once

#include <array>
#include <vector>

#include "panel.hpp"
#include "panel_broadcast.hpp"
#include "panel_factorization.hpp"
#include "problem.hpp"
#include "row_swap.hpp"

namespace plait::lu {

/// The parallel models of Viet et al. 2005.
enum class ScheduleKind {
  mpi,  ///< one thread per rank, blocking
  pc,   ///< process-to-process: threads compute, and communication is outside of parallel regions
  tc,   ///< thread-to-thread: one thread communicates while the others compute
};

inline constexpr std::array<const char*, 3> kScheduleNames{"mpi", "pc", "tc"};

struct FactorizationOptions {
  int block = 128;
  int grain = 0;  ///< rows and columns of a grain of the update; 0: as many as pay
  int threads = 1;
  bool look_ahead = true;  ///< factor the next panel before the update is complete; tc always does
  Pivoting pivoting = Pivoting::partial;
  BroadcastKind broadcast = BroadcastKind::ring_modified;
  SwapKind swap = SwapKind::mix;
  int swap_threshold = 64;
};

/// Where the matrix to the right of a panel and below it is cut. The same under each schedule,
/// since the bits of a product may depend on the shape of its factors.
struct Tiles {
  Range next;               ///< columns of the next panel, if this rank has them
  std::vector<Range> rest;  ///< the other columns
  std::vector<Range> rows;
  /// All columns of `rest`.
  [[nodiscard]] Range rest_range() const {
    return rest.empty() ? Range{} : Range{rest.front().first, rest.back().last};
  }
};

/// The steps of the factorization of one matrix. Not copyable.
class Factorization {
public:
  /// Panels in use at the same time under any schedule.
  static constexpr int kPanels = 3;

  /// @throws std::bad_alloc
  Factorization(const ProcessGrid& grid, Matrix& matrix, const FactorizationOptions& options);
  /// Doubles that it takes besides the matrix.
  static double doubles(int local_rows, int local_columns, int process_rows, int block);

  /// Factors A, applies the exchanges and L^-1 to b. Collective.
  /// @throws CollectiveError if A is singular
  void run(ScheduleKind schedule);

private:
  friend class GrainSchedule;

  void run_in_order();
  /// All columns but those of the next panel.
  void update(int step, const Tiles& cuts);
  [[nodiscard]] Tiles tiles(const Panel& panel) const;
  Panel& panel(int step) { return panels_[static_cast<std::size_t>(step % kPanels)]; }
  double* upper(int step) { return upper_[static_cast<std::size_t>(step % 2)].data(); }
  [[nodiscard]] int steps() const { return (matrix_.size + options_.block - 1) / options_.block; }

  /// Places the panel of a step; factors it if this rank has it; starts its broadcast.
  void begin_panel(int step);
  /// Waits for the panel. @throws CollectiveError if it has a column without a pivot
  void end_panel(int step);
  [[nodiscard]] bool has_panel(int step) const {
    return matrix_.columns.owns(step * options_.block);
  }

  // The parts of a step's update.
  void swap_columns(Range range);
  /// Takes the rows of U, solves for them, and stores them.
  void solve_columns(int step, Range range, Range part);
  void multiply(int step, Range rows, Range columns);

  const ProcessGrid& grid_;
  Matrix& matrix_;
  FactorizationOptions options_;
  int threads_ = 1;  ///< of the schedules in order
  std::vector<Panel> panels_;
  std::array<Memory, 2> upper_;  ///< rows of U by columns, of the last two steps
  PanelFactorization panel_factorization_;
  PanelBroadcast broadcast_;
  RowSwap row_swap_;
};

}  // namespace plait::lu
