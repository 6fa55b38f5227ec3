// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of a step's computation and communication on real steps.
#pragma once

#include <span>
#include <vector>

#include "model/overlap.hpp"
#include "plait/stepper.hpp"
#include "solve/schedules/stepper_runner.hpp"

namespace plait::solve {

/// A time of the slowest rank: median, fastest and slowest step.
struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// The result of a calibration; the same on every rank.
struct Calibrated {
  StepCosts costs;
  Spread compute_s;
  Spread communicate_s;
  Spread interior_less_one_s;  ///< interior by all threads but one; by that one in a team of one
  double own_cells = 0;        ///< largest number of a rank; the next three likewise
  double interior_cells = 0;
  double boundary_cells = 0;
  double bytes = 0;  ///< sent in one exchange
  int threads = 1;   ///< OpenMP threads of a rank
};

/// Runs some steps and times their parts: blocking steps; blocking steps that sleep while they
/// wait, whose CPU time is that of the communication; steps with the interior updated by one thread
/// less and the boundary by one thread; and nonblocking steps, whose wait shows how much
/// overlapped.
class Calibration {
public:
  explicit Calibration(Runner& runner);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] int steps_left() const { return rounds * static_cast<int>(kinds_.size()) - steps_; }
  /// Runs the next step. Collective; the last one agrees on the result.
  void step(Order order, std::span<const FieldView> fields, const Stepper::Update& update);
  /// Valid once done().
  [[nodiscard]] const Calibrated& result() const { return result_; }

private:
  enum class Kind { blocking, asleep, one_less, nonblocking };
  static constexpr int rounds = 4;  ///< the first one warms up and is dropped

  void agree();

  Runner& runner_;
  Prepared blocking_;
  Prepared asleep_;
  Prepared nonblocking_;
  std::vector<Kind> kinds_;
  std::vector<std::vector<StepTimes>> times_;  ///< by kind, in order of time
  int steps_ = 0;
  bool done_ = false;
  Calibrated result_;
};

/// Replaces each number by the largest of all ranks. Collective; sleeps while it waits.
void largest_of_ranks(MPI_Comm comm, std::span<double> numbers);

}  // namespace plait::solve
