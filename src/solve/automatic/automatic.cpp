// SPDX-License-Identifier: BSD-3-Clause
// The automatic schedule: measures costs, predicts step times, tries the best few on real steps.
#include "solve/automatic/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solve/automatic/prediction.hpp"
#include "text/counted.hpp"
#include "text/ratio.hpp"

namespace plait::solve {
namespace {

constexpr std::size_t most_tried = 4;  ///< besides blocking

}  // namespace

Automatic::Automatic(Runner& runner, const Schedule& asked)
    : runner_(runner),
      calibration_(std::in_place, runner),
      schedules_(schedules_here(asked, runner)),
      ratios_(schedules_.size(), 0.0),
      chosen_(runner.prepare(schedules_[0].schedule)),
      reason_("nothing has been measured yet"),
      steps_to_trial_(steps_to_first_recheck) {}

void Automatic::step(Order order, std::span<const FieldView> fields,
                     const Stepper::Update& update) {
  switch (phase_) {
    case Phase::calibrating:
      calibration_->step(order, fields, update);
      if (!calibration_->done()) return;
      predict_all();
      if (calibrated_->bytes <= 0) {
        choose(0, "no rank has anything to send");
        settle();
        return;
      }
      try_promising(trial_rounds);
      return;
    case Phase::trying:
      trial_->step(order, fields, update);
      if (trial_->done()) conclude();
      return;
    case Phase::settled:
      runner_.run(chosen_, order, fields, update);
      if (++steps_settled_ < steps_to_trial_) return;
      steps_to_trial_ = std::min(2 * steps_to_trial_, steps_to_later_rechecks);
      try_promising(recheck_rounds);
      return;
  }
}

void Automatic::measure(std::span<const FieldView> fields, const Stepper::Update& update,
                        int rounds) {
  calibration_.emplace(runner_);
  while (!calibration_->done()) calibration_->step(Order::exchange_first, fields, update);
  predict_all();
  std::vector<std::size_t> all;
  for (std::size_t index = 0; index < schedules_.size(); ++index) {
    if (schedules_[index].refused.empty()) all.push_back(index);
  }
  begin_trial(std::move(all), std::max(1, rounds), 1);
  while (!trial_->done()) trial_->step(Order::exchange_first, fields, update);
  conclude();
}

std::string Automatic::doing() const {
  if (phase_ == Phase::calibrating) {
    return fmt::format("measuring the parts of a step ({} left)",
                       counted(calibration_->steps_left(), "step"));
  }
  return fmt::format("trying {} ({} left)", counted(candidates_.size(), "schedule"),
                     counted(trial_->steps_left(), "step"));
}

void Automatic::predict_all() {
  calibrated_ = calibration_->result();
  calibration_.reset();
  for (ScheduleCost& cost : schedules_) {
    const model::Predicted time = predict(cost.schedule, *calibrated_, runner_.node());
    cost.predicted_s = time.s;
    cost.low_s = time.low_s;
    cost.high_s = time.high_s;
  }
}

std::vector<std::size_t> Automatic::promising() const {
  // Before a trial: schedules whose optimistic prediction is fast enough to be chosen. After a
  // trial: its winner, and those that have not clearly lost.
  std::vector<std::size_t> candidates;
  for (std::size_t index = 1; index < schedules_.size(); ++index) {
    const ScheduleCost& cost = schedules_[index];
    const bool may_win = ratios_[index] > 0 ? ratios_[index] < 1.1
                                            : cost.low_s < ratio_to_choose * schedules_[0].high_s;
    if (cost.refused.empty() && (may_win || index == chosen_index_)) candidates.push_back(index);
  }
  const auto expected = [&](std::size_t index) {
    if (index == chosen_index_) return 0.0;
    return ratios_[index] > 0 ? ratios_[index] * schedules_[0].predicted_s
                              : schedules_[index].predicted_s;
  };
  std::ranges::stable_sort(candidates, {}, expected);
  const std::size_t most = ever_settled_ ? 1 + (chosen_index_ > 0 ? 1U : 0U) : most_tried;
  if (candidates.size() > most) candidates.resize(most);
  candidates.insert(candidates.begin(), 0);
  return candidates;
}

void Automatic::try_promising(int rounds) {
  std::vector<std::size_t> candidates = promising();
  if (candidates.size() > 1) {
    begin_trial(std::move(candidates), rounds, steps_per_turn(schedules_[0].predicted_s));
    return;
  }
  if (!ever_settled_) choose(0, "the model predicts no gain from another schedule");
  settle();
}

void Automatic::begin_trial(std::vector<std::size_t> candidates, int rounds, int turn) {
  candidates_ = std::move(candidates);
  std::vector<Schedule> schedules;
  for (const std::size_t index : candidates_) schedules.push_back(schedules_[index].schedule);
  trial_.emplace(runner_, schedules, rounds, turn);
  phase_ = Phase::trying;
}

void Automatic::conclude() {
  const std::vector<Tried>& tried = trial_->result();
  std::size_t in_use = 0;
  for (std::size_t at = 0; at < candidates_.size(); ++at) {
    const std::size_t index = candidates_[at];
    schedules_[index].measured_s = tried[at].step_s;
    ratios_[index] = tried[at].ratio;
    if (ever_settled_ && index == chosen_index_) in_use = at;
  }
  const std::size_t best = clearly_fastest(tried, in_use);
  if (candidates_.size() == 1) {
    choose(0, "no other schedule can run here");
  } else if (best == 0) {
    choose(0, "no other schedule was clearly faster in a trial");
  } else {
    choose(candidates_[best],
           "took " + format_ratio(tried[best].ratio) + " times as long as blocking in a trial");
  }
  settle();
}

void Automatic::choose(std::size_t schedule, const std::string& reason) {
  if (schedule != chosen_index_) chosen_ = runner_.prepare(schedules_[schedule].schedule);
  chosen_index_ = schedule;
  reason_ = reason;
}

void Automatic::settle() {
  trial_.reset();
  candidates_.clear();
  phase_ = Phase::settled;
  ever_settled_ = true;
  steps_settled_ = 0;
}

}  // namespace plait::solve
