// SPDX-License-Identifier: BSD-3-Clause
// Measures what a step's computation and communication cost, on real steps.
#pragma once

#include <span>
#include <vector>

#include "model/overlap.hpp"
#include "plait/stepper.hpp"
#include "solve/stepper_runner.hpp"

namespace plait::solve {

/// A time of the slowest rank: the median of the steps, and the fastest and slowest of them.
struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// What calibration has found; the same on every rank.
struct Calibrated {
  StepCosts costs;
  Spread compute_s;
  Spread communicate_s;
  Spread interior_less_one_s;  ///< interior by all threads but one; by the one of a team of one
  double own_cells = 0;        ///< of the rank that has most
  double interior_cells = 0;
  double boundary_cells = 0;
  double bytes = 0;  ///< sent in an exchange, of the rank that sends most
  int threads = 1;   ///< of a rank
};

/// Takes some steps and times their parts: blocking ones, blocking ones that wait asleep (whose CPU
/// time is that of the communication), ones whose interior is updated by one thread less and whose
/// boundary by one, and nonblocking ones (whose wait tells what moved beside the interior).
class Calibration {
public:
  explicit Calibration(Runner& runner);

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] int steps_left() const { return rounds * static_cast<int>(kinds_.size()) - steps_; }
  /// The next step. Collective; the last one agrees on the result.
  void step(Order order, std::span<const FieldView> fields, const Stepper::Update& update);
  /// Once done().
  [[nodiscard]] const Calibrated& result() const { return result_; }

private:
  enum class Kind { blocking, asleep, one_less, nonblocking };
  static constexpr int rounds = 4;  ///< of them the first warms up and is dropped

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

/// The largest of each number over all ranks; collective, waits without keeping a core busy.
void largest_of_ranks(MPI_Comm comm, std::span<double> numbers);

}  // namespace plait::solve
