// SPDX-License-Identifier: BSD-3-Clause
// The automatic schedule: measures costs, predicts step times, tries the best few on real steps.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plait/stepper.hpp"
#include "solve/automatic/calibration.hpp"
#include "solve/automatic/trial.hpp"
#include "solve/schedules/stepper_runner.hpp"

namespace plait::solve {

/// Chooses a schedule on real steps. It calibrates, then tries blocking and the schedules that the
/// model considers best, then uses the winner. From time to time it tries the winner and its
/// closest rival again. All ranks decide alike, by numbers that they have agreed on. It chooses
/// another schedule than blocking only if that was clearly faster, so that steps do not become
/// slower.
///
/// Stepper::measure() uses it to try all schedules.
class Automatic {
public:
  /// @param asked  wait, poll and block of the schedules to choose from
  Automatic(Runner& runner, const Schedule& asked);

  /// Runs the next step. Collective.
  void step(Order order, std::span<const FieldView> fields, const Stepper::Update& update);
  /// Runs `rounds` steps of every schedule that can run, and decides by them. Collective.
  void measure(std::span<const FieldView> fields, const Stepper::Update& update, int rounds);

  [[nodiscard]] bool deciding() const { return phase_ != Phase::settled; }
  /// The schedule in use; during a trial, the one chosen before.
  [[nodiscard]] const Schedule& chosen() const { return chosen_.schedule; }
  /// Empty until calibration has ended.
  [[nodiscard]] const std::optional<Calibrated>& calibrated() const { return calibrated_; }
  [[nodiscard]] const std::vector<ScheduleCost>& schedules() const { return schedules_; }
  /// The activity while deciding(), and the remaining steps: "trying 3 schedules (20 steps left)".
  [[nodiscard]] std::string doing() const;
  /// The reason for the choice, as a clause.
  [[nodiscard]] const std::string& reason() const { return reason_; }

private:
  enum class Phase { calibrating, trying, settled };

  void predict_all();
  /// Tries the schedules that may win, or settles on blocking if there are none.
  void try_promising(int rounds);
  void begin_trial(std::vector<std::size_t> candidates, int rounds, int turn);
  /// Blocking and the few schedules that may be faster.
  [[nodiscard]] std::vector<std::size_t> promising() const;
  /// Records the results of the trial and chooses.
  void conclude();
  void choose(std::size_t schedule, const std::string& reason);
  void settle();

  Runner& runner_;
  Phase phase_ = Phase::calibrating;
  bool ever_settled_ = false;
  std::optional<Calibration> calibration_;
  std::optional<Calibrated> calibrated_;
  std::vector<ScheduleCost> schedules_;  ///< blocking first
  std::vector<double> ratios_;           ///< of each to blocking in its last trial; 0: not tried
  std::optional<Trial> trial_;
  std::vector<std::size_t> candidates_;  ///< of the trial
  std::size_t chosen_index_ = 0;
  Prepared chosen_;
  std::string reason_;
  std::int64_t steps_settled_ = 0;  ///< since the last trial
  std::int64_t steps_to_trial_ = 0;
};

}  // namespace plait::solve
