// SPDX-License-Identifier: BSD-3-Clause
// Compares schedules by running them in turn on real steps.
#include "solve/automatic/trial.hpp"

#include <algorithm>

#include "base/statistics.hpp"
#include "solve/automatic/calibration.hpp"

namespace plait::solve {

Trial::Trial(Runner& runner, std::span<const Schedule> schedules, int rounds, int turn)
    : runner_(runner), rounds_(rounds), turn_(turn) {
  for (const Schedule& schedule : schedules) prepared_.push_back(runner.prepare(schedule));
}

int Trial::steps_left() const {
  const auto schedules = static_cast<int>(prepared_.size());
  const int turns_done = round_ * schedules + static_cast<int>(schedule_);
  return (rounds_ * schedules - turns_done) * (turn_ + 1) - step_;
}

void Trial::step(Order order, std::span<const FieldView> fields, const Stepper::Update& update) {
  if (step_ == 1) watch_.lap();
  runner_.run(prepared_[schedule_], order, fields, update);
  if (++step_ <= turn_) return;
  turns_s_.push_back(watch_.lap() / turn_);
  step_ = 0;
  if (++schedule_ < prepared_.size()) return;
  schedule_ = 0;
  if (++round_ == rounds_) agree();
}

void Trial::agree() {
  largest_of_ranks(runner_.halo().grid().comm(), turns_s_);
  const std::size_t schedules = prepared_.size();
  for (std::size_t schedule = 0; schedule < schedules; ++schedule) {
    std::vector<double> steps;
    std::vector<double> ratios;
    for (std::size_t first = 0; first < turns_s_.size(); first += schedules) {
      steps.push_back(turns_s_[first + schedule]);
      ratios.push_back(turns_s_[first + schedule] / std::max(turns_s_[first], 1e-9));
    }
    std::ranges::sort(ratios);
    result_.push_back({median(steps), median(ratios), ratios[ratios.size() * 3 / 4]});
  }
  done_ = true;
}

}  // namespace plait::solve
