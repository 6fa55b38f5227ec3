// SPDX-License-Identifier: BSD-3-Clause
// The cost of a blocking library step compared with a hand-written MPI program, on 1 and 2 ranks.
#pragma once

#include <string>
#include <vector>

namespace plait::bench {

/// Times of one size on a number of ranks; the ratio is library / by hand.
struct StepCost {
  int cells = 0;  ///< per rank along each axis
  int ranks = 0;
  double library_us = 0;
  double by_hand_us = 0;
  double ratio = 0;
  double low = 0;  ///< 95 % interval of the ratio
  double high = 0;
};

/// Runs the measured program. If there is none or it fails, the result is empty and `why` says why.
std::vector<StepCost> step_costs(std::string& why);

}  // namespace plait::bench
