// SPDX-License-Identifier: BSD-3-Clause
// Time of one step from its computation and its communication, by schedule: the overlap operators.
#pragma once

#include "model/speed_table.hpp"

namespace plait::model {

/// What a step of one rank (or node) costs when nothing overlaps. Seconds; work in cells.
struct StepWork {
  double cells = 0;                ///< cells to update, W
  double boundary_cells = 0;       ///< of them, those next to ghosts; they wait for the exchange
  double communicate_s = 0;        ///< one exchange alone, t_m
  double communication_cpu_s = 0;  ///< CPU time that the exchange itself takes
  double communicate_low_s = 0;    ///< interval of communicate_s; 0: not known, communicate_s
  double communicate_high_s = 0;   ///< 0: not known, communicate_s
};

/// A prediction with its interval, seconds.
///
/// How the interval comes about: each formula falls with speed and rises with the exchange's time,
/// so its low end is the formula at the high ends of P(k) and the low end of the exchange's time,
/// its high end the reverse. Where the formula leaves something open, the two ends take the two
/// extremes; each function says which.
struct Predicted {
  double s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// Masteronly, vector mode, pure MPI: W / P(p) + t_m (Stengel 2010, equation 2.1).
/// Interval: of the inputs.
/// @param threads  threads that compute, 1..
Predicted blocking_time(const StepWork& work, const SpeedTable& speed, int threads);

/// MPI's own overlap: blocking_time() less what `progress` (0 none, 1 all) of the exchange runs
/// beside the interior, at most the interior's time (Stengel 2010, section 3.2: overlap is what the
/// sum of both exceeds the whole by).
/// Interval: of the inputs; the high end is without any overlap, since a library that progresses in
/// a test may need calls to do so here.
Predicted nonblocking_time(const StepWork& work, const SpeedTable& speed, int threads,
                           double progress);

/// A dedicated thread (Stengel 2010, equation 2.5): the larger of the interior on the other p - 1
/// threads and the exchange with the boundary on the one. A team of one thread has no other:
/// `extra` is then taken as true.
/// Interval: of the inputs; the high end also takes the exchange's CPU time from the computing
/// threads, whose memory bandwidth its copies share.
///
/// `extra`: the communicating thread is beside the team, which computes with all p threads, and
/// shares its cores: the larger of the interior on p threads with communication_cpu_s behind it and
/// the exchange, then the boundary on p threads. Low end: the CPU time is spread over all threads.
Predicted comm_thread_time(const StepWork& work, const SpeedTable& speed, int threads, bool extra);

/// Tasks that the communicating thread joins: work-conserving,
/// T = t_m + (W - P(p - 1) t_m) / P(p) while t_m <= W / P(p - 1), else t_m; boundary cells are
/// updated by all threads after the exchange. With P(k) = k it is Viet's equation 7 (Viet et al.
/// 2005).
/// Interval: of the inputs; the high end also adds the exchange's CPU time to the work.
Predicted tasks_time(const StepWork& work, const SpeedTable& speed, int threads);

/// What no schedule can beat: the exchange beside the interior on all threads, none of them lost to
/// it, then the boundary (Stengel 2010, figure 2.5, his upper bound of OpenMP tasks: equation 2.5
/// with the speed of all cores). Interval: of the inputs.
Predicted ideal_overlap_time(const StepWork& work, const SpeedTable& speed, int threads);

}  // namespace plait::model
