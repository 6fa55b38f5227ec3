// SPDX-License-Identifier: BSD-3-Clause
// The public interface of steppers of transposes.
#include "plait/transpose_stepper.hpp"

#include <fmt/format.h>

#include "solve/automatic/explain.hpp"
#include "solve/transpose/automatic.hpp"
#include "solve/transpose/team.hpp"
#include "text/counted.hpp"
#include "text/table.hpp"
#include "text/units.hpp"

namespace plait {

struct TransposeStepper::State {
  State(std::span<Transpose* const> transposes, const Schedule& schedule, MPI_Comm comm)
      : asked(schedule),
        pipeline(transposes, schedule, comm),
        prepared(pipeline.prepare(schedule)),
        automatic(pipeline, schedule) {}

  [[nodiscard]] const Schedule& in_use() const {
    return asked.kind == ScheduleKind::automatic ? automatic.chosen() : asked;
  }

  Schedule asked;
  solve::TransposePipeline pipeline;
  solve::Prepared prepared;  ///< unused if automatic
  solve::TransposeAutomatic automatic;
};

TransposeStepper::TransposeStepper(std::span<Transpose* const> transposes, const Schedule& schedule,
                                   MPI_Comm comm)
    : state_(std::make_unique<State>(transposes, schedule, comm)) {}

TransposeStepper::~TransposeStepper() = default;

void TransposeStepper::step(std::span<const TransposeArrays> arrays, std::span<const Work> works) {
  if (state_->asked.kind == ScheduleKind::automatic) {
    state_->automatic.step(arrays, works);
  } else {
    state_->pipeline.run(state_->prepared, arrays, works);
  }
}

void TransposeStepper::progress() {
  solve::test_messages_of_step(state_->pipeline);
}

const Schedule& TransposeStepper::schedule() const {
  return state_->in_use();
}

bool TransposeStepper::deciding() const {
  return state_->asked.kind == ScheduleKind::automatic && state_->automatic.deciding();
}

double TransposeStepper::waited_s() const {
  return state_->pipeline.waited_s();
}

std::vector<ScheduleCost> TransposeStepper::schedules() const {
  return state_->automatic.schedules();
}

std::string TransposeStepper::explain() const {
  const solve::TransposePipeline& pipeline = state_->pipeline;
  const Transpose& first = pipeline.transpose(0);
  std::string text =
      fmt::format("Step of {} on {} with {} in {}; times of the slowest rank\n",
                  counted(pipeline.count(), "transpose"), counted(pipeline.ranks(), "rank"),
                  counted(pipeline.agreed().threads, "thread"), counted(first.chunks(), "chunk"));
  const bool automatic = state_->asked.kind == ScheduleKind::automatic;
  Table table({text_column(""), text_column("schedule"), number_column("measured")});
  for (const ScheduleCost& cost : state_->automatic.schedules()) {
    table.add({cost.schedule == schedule() ? "*" : "", solve::short_name(cost.schedule),
               cost.measured_s > 0 ? format_seconds(cost.measured_s) : "-"});
  }
  text += table.text();
  if (!automatic) {
    return text + fmt::format("In use: {}, as requested\n", to_string(schedule()));
  }
  return text + fmt::format("In use: {}\n  {}\n", deciding() ? "automatic" : to_string(schedule()),
                            state_->automatic.reason());
}

}  // namespace plait
