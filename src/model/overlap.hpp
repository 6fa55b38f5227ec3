// SPDX-License-Identifier: BSD-3-Clause
// The overlap operators: the time of a step from its computation and communication, by schedule.
#pragma once

#include "model/speed_table.hpp"

namespace plait::model {

/// The cost of a step of one rank (or node) without overlap, in seconds; work in cells.
struct StepWork {
  double cells = 0;                ///< cells to update, W
  double boundary_cells = 0;       ///< those next to ghosts, which need the exchange first
  double communicate_s = 0;        ///< one exchange alone, t_m
  double communication_cpu_s = 0;  ///< CPU time that the exchange itself takes
  double communicate_low_s = 0;    ///< interval of communicate_s; 0: unknown, use communicate_s
  double communicate_high_s = 0;   ///< 0: unknown, use communicate_s
};

/// A prediction with its interval, seconds.
///
/// Each formula decreases with speed and increases with the time of the exchange. So the low end is
/// the formula at the high end of P(k) and the low end of the exchange, and the high end is the
/// reverse. If a formula leaves something open, the two ends use the two extremes, which are given
/// with each function.
struct Predicted {
  double s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// Masteronly, vector mode, pure MPI: W / P(p) + t_m (Stengel 2010, equation 2.1).
/// Interval: that of the inputs.
/// @param threads  computing threads, at least 1
Predicted blocking_time(const StepWork& work, const SpeedTable& speed, int threads);

/// Nonblocking MPI: blocking_time() less the part of the exchange that runs during the interior
/// (Stengel 2010, section 3.2: overlap is the sum of both times less the total).
/// Interval: that of the inputs. The high end is without overlap: a library that makes progress in
/// a test may need MPI calls to do so here.
/// @param progress  fraction of the exchange that can run during computation, 0..1
Predicted nonblocking_time(const StepWork& work, const SpeedTable& speed, int threads,
                           double progress);

/// A communicating thread.
///
/// One thread of the team (Stengel 2010, equation 2.5): the maximum of the interior on the other
/// p - 1 threads, and the exchange followed by the boundary on the communicating thread.
/// Interval: that of the inputs. The high end also subtracts the CPU time of the exchange from the
/// computing threads, because its copies share their memory bandwidth.
///
/// An extra thread, which shares the cores of the team of p computing threads: the maximum of the
/// exchange, and the interior on p threads plus communication_cpu_s; then the boundary on p
/// threads. Low end: the CPU time is spread over all threads.
/// @param extra  use an extra thread; always so for a team of one thread
Predicted comm_thread_time(const StepWork& work, const SpeedTable& speed, int threads, bool extra);

/// Tasks that the communicating thread joins after the exchange (work-conserving):
/// T = t_m + (W - P(p - 1) t_m) / P(p) while t_m <= W / P(p - 1), else t_m; all threads update the
/// boundary cells after the exchange. With P(k) = k this is equation 7 of Viet et al. 2005.
/// Interval: that of the inputs. The high end also adds the CPU time of the exchange to the work.
Predicted tasks_time(const StepWork& work, const SpeedTable& speed, int threads);

/// The lower bound on the time of any schedule: the exchange runs during the interior on all
/// threads and costs no CPU time, then the boundary follows (the upper bound of OpenMP tasks in
/// Stengel 2010, figure 2.5: equation 2.5 with the speed of all cores). Interval: that of the
/// inputs.
Predicted ideal_overlap_time(const StepWork& work, const SpeedTable& speed, int threads);

}  // namespace plait::model
