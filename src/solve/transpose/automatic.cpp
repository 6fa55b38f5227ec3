// SPDX-License-Identifier: BSD-3-Clause
// The automatic schedule of transposes: tries all schedules on real steps.
#include "solve/transpose/automatic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "solve/automatic/calibration.hpp"
#include "text/counted.hpp"
#include "text/ratio.hpp"

namespace plait::solve {

TransposeAutomatic::TransposeAutomatic(TransposePipeline& pipeline, const Schedule& asked)
    : pipeline_(pipeline), reason_("nothing has been measured yet") {
  for (const Schedule& schedule : pipeline.schedules(asked)) {
    prepared_.push_back(pipeline.prepare(schedule));
    costs_.emplace_back().schedule = schedule;
  }
  const char* only_blocking = nullptr;
  if (pipeline.ranks() == 1) only_blocking = "there is only one rank";
  if (pipeline.chunks() == 1) only_blocking = "one chunk cannot overlap with another";
  if (only_blocking == nullptr) return;
  reason_ = only_blocking;
  phase_ = Phase::settled;
  prepared_.erase(prepared_.begin() + 1, prepared_.end());
}

void TransposeAutomatic::step(std::span<const TransposeArrays> arrays,
                              std::span<const TransposeStepper::Work> works) {
  switch (phase_) {
    case Phase::timing: {
      constexpr int warm_up = 1;
      Stopwatch watch;
      pipeline_.run(prepared_[0], arrays, works);
      step_s_ = watch.lap();
      if (steps_timed_++ < warm_up) return;
      largest_of_ranks(pipeline_.comm(), std::span(&step_s_, 1));
      try_all(trial_rounds);
      return;
    }
    case Phase::trying:
      turns_->before_step();
      pipeline_.run(prepared_[turns_->current()], arrays, works);
      turns_->after_step(pipeline_.comm());
      if (turns_->done()) conclude();
      return;
    case Phase::settled:
      pipeline_.run(prepared_[chosen_], arrays, works);
      if (prepared_.size() == 1 || ++steps_settled_ < steps_to_trial_) return;
      steps_to_trial_ = std::min(2 * steps_to_trial_, steps_to_later_rechecks);
      try_all(recheck_rounds);
      return;
  }
}

void TransposeAutomatic::try_all(int rounds) {
  turns_.emplace(prepared_.size(), rounds, steps_per_turn(step_s_));
  phase_ = Phase::trying;
}

void TransposeAutomatic::conclude() {
  const std::vector<Tried>& tried = turns_->result();
  for (std::size_t at = 0; at < tried.size(); ++at) costs_[at].measured_s = tried[at].step_s;
  chosen_ = clearly_fastest(tried, chosen_);
  reason_ = chosen_ == 0 ? "no other schedule was clearly faster in a trial"
                         : "took " + format_ratio(tried[chosen_].ratio) +
                               " times as long as blocking in a trial";
  turns_.reset();
  phase_ = Phase::settled;
  steps_settled_ = 0;
}

std::string TransposeAutomatic::reason() const {
  if (phase_ == Phase::timing) return "measuring the time of a step";
  if (phase_ == Phase::settled) return reason_;
  return fmt::format("trying {} ({} left)", counted(prepared_.size(), "schedule"),
                     counted(turns_->steps_left(), "step"));
}

}  // namespace plait::solve
