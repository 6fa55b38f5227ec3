// SPDX-License-Identifier: BSD-3-Clause
// The bookkeeping of a trial: several ways of doing a step take turns on real steps.
#include "solve/automatic/turns.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"
#include "solve/automatic/calibration.hpp"

namespace plait::solve {
namespace {

/// Up to this ratio to the first schedule, one that is in use stays. The gap to ratio_to_choose is
/// smaller than the cost allowed for automatic (3 %).
constexpr double ratio_to_stay = 0.99;

}  // namespace

int Turns::steps_left() const {
  const auto schedules = static_cast<int>(schedules_);
  const int turns_done = round_ * schedules + static_cast<int>(schedule_);
  return (rounds_ * schedules - turns_done) * (turn_ + 1) - step_;
}

void Turns::before_step() {
  if (step_ == 1) watch_.lap();
}

void Turns::after_step(MPI_Comm comm) {
  if (++step_ <= turn_) return;
  turns_s_.push_back(watch_.lap() / turn_);
  step_ = 0;
  if (++schedule_ < schedules_) return;
  schedule_ = 0;
  if (++round_ == rounds_) agree(comm);
}

void Turns::agree(MPI_Comm comm) {
  largest_of_ranks(comm, turns_s_);
  for (std::size_t schedule = 0; schedule < schedules_; ++schedule) {
    std::vector<double> steps;
    std::vector<double> ratios;
    for (std::size_t first = 0; first < turns_s_.size(); first += schedules_) {
      steps.push_back(turns_s_[first + schedule]);
      ratios.push_back(turns_s_[first + schedule] / std::max(turns_s_[first], 1e-9));
    }
    std::ranges::sort(ratios);
    result_.push_back({median(steps), median(ratios), ratios[ratios.size() * 3 / 4]});
  }
  done_ = true;
}

int steps_per_turn(double step_s) {
  return static_cast<int>(std::clamp(std::ceil(2e-3 / std::max(step_s, 1e-7)), 2.0, 40.0));
}

std::size_t clearly_fastest(std::span<const Tried> tried, std::size_t in_use) {
  std::size_t best = 0;
  double best_ratio = 1;
  for (std::size_t at = 1; at < tried.size(); ++at) {
    const Tried& one = tried[at];
    const bool gains = at == in_use ? one.ratio <= ratio_to_stay
                                    : one.ratio <= ratio_to_choose && one.ratio_quartile <= 1;
    if (gains && one.ratio < best_ratio) {
      best = at;
      best_ratio = one.ratio;
    }
  }
  return best;
}

}  // namespace plait::solve
