// SPDX-License-Identifier: BSD-3-Clause
// Predicts the time of a recorded run if one thing were changed, with an interval. Assumes no more
// gain than the recorded figures support.
#pragma once

#include <optional>

#include "model/overlap.hpp"
#include "model/speed_table.hpp"

namespace plait::model {

/// The smallest predicted gain, as a fraction of the run time, for which a plan is listed.
inline constexpr double kLeastGain = 0.02;

/// What a run whose threads share cores did, in seconds.
struct SharedRun {
  double wall_s = 0;     ///< of the whole run
  double outside_s = 0;  ///< of it, outside the ranks: launcher and MPI_Init
  /// CPU time of the computation of the rank with most, divided among the cores that it would have.
  double work_s = 0;
  double work_and_mpi_s = 0;  ///< the same with CPU time in MPI, of the rank with most of both
  int cores_now = 1;          ///< that the threads of a node share
  int cores_then = 1;         ///< that they would have
};

/// The run if each of its threads had a core.
/// Low end: no rank waits for a CPU, nor in MPI for a rank that waits for one; computation remains,
/// and the launcher, whose processes shared the cores as well. High end: MPI takes the CPU time
/// that it took, and computation competes for the memory: it is slowed down like the memory-bound
/// kernel, by k P(c) / (c P(k)) from c to k cores; without P(k), by k / c. Middle: the mean of
/// both.
/// @param speed  P(k) of a node, or null
Predicted without_sharing(const SharedRun& run, const SpeedTable* speed);

/// The run with another number of threads per rank, if its parallel regions took `regions_s`.
/// Low end: the regions speed up in proportion to the threads. High end: they speed up like the
/// memory-bound kernel on that many cores of the node. Middle: the mean of both.
/// @param ranks  per node
/// @throws Error when a count is < 1.
Predicted with_threads(double wall_s, double regions_s, int ranks, int threads_now,
                       int threads_then, const SpeedTable& speed);

/// The run if its messages took 1/ratio of their time.
/// Low end: the message time of the rank that spent most is all transport; the high end of the
/// ratio is used. High end: only the message time of the rank that spent least is transport,
/// because other ranks may have waited for it; the low end of the ratio is used. Middle: the mean
/// of both.
/// @param least_s, most_s  message time of the rank that spent least and of the one that spent most
Predicted with_faster_messages(double wall_s, double least_s, double most_s, double ratio_low,
                               double ratio_high);

/// The run from a replay as recorded and a replay with the change, scaled to the recorded time.
/// Interval: both ends of the replays, widened by the error of the replay of the recorded run.
/// @param recorded_s  the part of `wall_s` that was replayed
/// @return empty when a replay took no time
std::optional<Predicted> by_replays(double wall_s, double recorded_s, const Predicted& as_recorded,
                                    const Predicted& changed);

/// A prediction for a run during which other programs used CPUs: its high end is later by their
/// part, because they may disturb the next run as well.
/// @param share  of the run's time that was lost to other programs
Predicted beside_other_programs(const Predicted& of, double wall_s, double share);

/// True when the prediction supports the plan: the gain is at least kLeastGain in the middle, and
/// nothing is lost at the high end.
bool is_defended(double wall_s, const Predicted& after);

}  // namespace plait::model
