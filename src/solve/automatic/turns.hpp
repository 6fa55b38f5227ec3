// SPDX-License-Identifier: BSD-3-Clause
// The bookkeeping of a trial: several ways of doing a step take turns on real steps.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "solve/schedules/stepper_job.hpp"

namespace plait::solve {

/// The result of one schedule in a trial; the same on every rank.
struct Tried {
  double step_s = 0;          ///< of the slowest rank, median of the turns
  double ratio = 1;           ///< to the first schedule in the same round, median
  double ratio_quartile = 1;  ///< upper quartile of the ratios
};

/// Times schedules that take turns, a few steps each, in several rounds. The others are compared
/// with the first one round by round, so that disturbances affect all of them alike.
class Turns {
public:
  /// @param schedules  number of schedules, at least one
  /// @param turn       timed steps per turn; one more before them is not timed
  Turns(std::size_t schedules, int rounds, int turn)
      : schedules_(schedules), rounds_(rounds), turn_(turn) {}

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] int steps_left() const;
  /// The schedule of the next step.
  [[nodiscard]] std::size_t current() const { return schedule_; }
  /// Call them before and after each step. The last after_step() is collective over `comm`.
  void before_step();
  void after_step(MPI_Comm comm);
  /// Valid once done(), in the order of the schedules.
  [[nodiscard]] const std::vector<Tried>& result() const { return result_; }

private:
  void agree(MPI_Comm comm);

  std::size_t schedules_;
  int rounds_;
  int turn_;
  int round_ = 0;
  std::size_t schedule_ = 0;
  int step_ = 0;  ///< of this turn
  Stopwatch watch_;
  std::vector<double> turns_s_;  ///< time of one step in each turn: rounds x schedules
  bool done_ = false;
  std::vector<Tried> result_;
};

/// Timed steps per turn, enough to be timed, of steps that take about this long.
int steps_per_turn(double step_s);

/// The schedule to use after a trial: the first one unless another is clearly faster. One that is
/// in use stays while it gains at all; a new one must gain in most rounds.
/// @param in_use  index among `tried`; 0 if none of the others
/// @return  index among `tried`
std::size_t clearly_fastest(std::span<const Tried> tried, std::size_t in_use);

/// Step time relative to the first schedule up to which another one is chosen; see
/// clearly_fastest().
constexpr double ratio_to_choose = 0.97;

/// How trials are repeated: a first one of many rounds, later ones of fewer, ever more seldom.
constexpr int trial_rounds = 7;
constexpr int recheck_rounds = 5;
constexpr std::int64_t steps_to_first_recheck = 300;
constexpr std::int64_t steps_to_later_rechecks = 20000;

}  // namespace plait::solve
