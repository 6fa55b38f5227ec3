// SPDX-License-Identifier: BSD-3-Clause
// Time of one step from its computation and its communication, by schedule: the overlap operators.
#pragma once

#include "model/speed_table.hpp"

namespace plait::model {

/// What a step of one rank (or node) costs when nothing overlaps. Seconds; work in cells.
struct StepWork {
  double cells = 0;                ///< cells to update
  double boundary_cells = 0;       ///< of them, those next to ghosts
  double communicate_s = 0;        ///< one exchange alone
  double communication_cpu_s = 0;  ///< CPU time that the exchange itself takes
};

/// A prediction with its interval, seconds.
struct Predicted {
  double s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// Masteronly, vector mode, pure MPI: the sum (Stengel 2010, equation 2.1).
/// @param threads  threads that compute, 1..
Predicted blocking_time(const StepWork& work, const SpeedTable& speed, int threads);

/// MPI's own overlap: blocking_time() less what `progress` (0 none, 1 all) of the exchange runs
/// beside the interior.
Predicted nonblocking_time(const StepWork& work, const SpeedTable& speed, int threads,
                           double progress);

/// A dedicated thread (equation 2.5): the larger of the interior on the others and the exchange
/// with the boundary on the one. `extra`: the communicating thread is beside the team; it then
/// shares its cores, and communication_cpu_s adds to the computation.
Predicted comm_thread_time(const StepWork& work, const SpeedTable& speed, int threads, bool extra);

/// Tasks that the communicating thread joins: work-conserving,
/// T = t_m + (W - P(p - 1) t_m) / P(p) while t_m <= W / P(p - 1), else t_m. With P(k) = k it is
/// Viet's equation 7.
Predicted tasks_time(const StepWork& work, const SpeedTable& speed, int threads);

}  // namespace plait::model
