// SPDX-License-Identifier: BSD-3-Clause
// What a run would take if one thing about it were changed, from what was recorded of it: only
// what the figures bear, each with its interval.
#pragma once

#include <optional>

#include "model/overlap.hpp"
#include "model/speed_table.hpp"

namespace plait::model {

/// A plan is listed when it gains at least this part of the time, in the middle.
inline constexpr double kLeastGain = 0.02;

/// What was recorded of the rank that decides, seconds.
struct RecordedRank {
  double wall_s = 0;     ///< of the whole run
  double compute_s = 0;  ///< outside MPI
  double taken_s = 0;    ///< its threads were ready to run, but others ran (thread seconds)
  int threads = 1;
  int sharers = 1;  ///< threads that its cores were shared by: its own, or those of other ranks too
};

/// The run when its threads need not share cores any more.
/// Low end: what they waited for a core is gone, at most what as many threads of one core wait for
/// each other (the rest was for other programs). High end: they compute no faster than the
/// memory-bound kernel does on as many cores instead of one: its P(k) saturates; without P(k)
/// nothing is gained. Middle: between both.
/// @param speed  P(k) of a node, or null
Predicted without_sharing(const RecordedRank& rank, const SpeedTable* speed);

/// The run with more threads a rank, where its parallel regions took `regions_s`.
/// Low end: the regions go as much faster as there are more threads. High end: as the memory-bound
/// kernel does on that many cores of the node. Middle: between both.
/// @param ranks  of the node
/// @throws Error when a count is < 1.
Predicted with_threads(double wall_s, double regions_s, int ranks, int threads_now,
                       int threads_then, const SpeedTable& speed);

/// The run when its messages take 1/ratio of their time.
/// Low end: all that its ranks spent with messages was their transport, of the rank that spent
/// most, and the ratio's high end. High end: the rank that spent least, since what others spent
/// beyond that they may have waited for it, and the ratio's low end. Middle: between both.
/// @param least_s, most_s  time with messages of the rank that has least and most
Predicted with_faster_messages(double wall_s, double least_s, double most_s, double ratio_low,
                               double ratio_high);

/// The run by its replays as recorded and changed, scaled to what was recorded.
/// Interval: both ends of the replays, and what the replay of the recorded run missed its time by.
/// @return empty when a replay took no time
std::optional<Predicted> by_replays(double wall_s, double recorded_s, const Predicted& as_recorded,
                                    const Predicted& changed);

/// Whether the figures bear the plan: it gains kLeastGain in the middle, and nothing is lost at the
/// high end.
bool is_defended(double wall_s, const Predicted& after);

}  // namespace plait::model
