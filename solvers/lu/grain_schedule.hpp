// SPDX-License-Identifier: BSD-3-Clause
// The thread-to-thread schedule of the LU factorization (Viet et al. 2005, section 7.2).
#pragma once

#include <vector>

#include "factorization.hpp"
#include "plait/grains.hpp"

namespace plait::lu {

/// Each block of tasks completes the update of one step, swaps the rows of the next and factors the
/// panel after that, so that the large products (7_7 in the paper) never wait for messages of their
/// own step.
class GrainSchedule {
public:
  explicit GrainSchedule(Factorization& factorization) : all_(factorization) {}

  /// Factors the whole matrix. Collective. @throws CollectiveError as Factorization::run
  void run();

private:
  /// Columns whose rows are swapped in this block, and its tasks.
  struct Columns {
    Range range;
    bool next = false;      ///< those of the next panel
    int last_pending = -1;  ///< the last product of the step before that updates some of them
    int packed_after = 0;   ///< place among these products
    int solved_after = 0;
    GrainBlock::Task exchange{};
  };

  void declare(GrainBlock& block, int step, const Tiles& before, const Tiles& now);
  /// @param number  of these columns in the step
  void declare_exchange(GrainBlock& block, int number, Columns& columns);
  void declare_solve(GrainBlock& block, int step, const Columns& columns, const Tiles& now);

  Factorization& all_;
  std::vector<GrainBlock::Task> pending_;  ///< products of the step before, one per tile
};

}  // namespace plait::lu
