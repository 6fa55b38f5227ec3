// SPDX-License-Identifier: BSD-3-Clause
// The public interface of steppers: runs a solver's steps under a schedule and verifies them.
#include "plait/stepper.hpp"

#include "solve/automatic/automatic.hpp"
#include "solve/automatic/explain.hpp"
#include "solve/schedules/stepper_runner.hpp"
#include "solve/verify.hpp"

namespace plait {

using solve::Order;

struct Stepper::State {
  State(Halo& halo, const Schedule& schedule)
      : asked(schedule),
        runner(halo, schedule),
        prepared(runner.prepare(schedule)),
        automatic(runner, schedule),
        verifier(runner.agreed().verifies) {}

  void run(Order order, std::span<const FieldView> fields, const Update& update) {
    if (asked.kind == ScheduleKind::automatic) {
      automatic.step(order, fields, update);
    } else {
      runner.run(prepared, order, fields, update);
    }
    verifier.check(runner.halo(), fields, in_use());
  }

  [[nodiscard]] const Schedule& in_use() const {
    return asked.kind == ScheduleKind::automatic ? automatic.chosen() : asked;
  }

  Schedule asked;
  solve::Runner runner;
  solve::Prepared prepared;    ///< unused if automatic
  solve::Automatic automatic;  ///< also has the results of measure()
  solve::Verifier verifier;
};

Stepper::Stepper(Halo& halo, const Schedule& schedule)
    : state_(std::make_unique<State>(halo, schedule)) {}

Stepper::~Stepper() = default;

void Stepper::step(std::span<const FieldView> in, const Update& update) {
  state_->run(Order::exchange_first, in, update);
}

void Stepper::advance(std::span<const FieldView> out, const Update& update) {
  state_->run(Order::boundary_first, out, update);
}

Halo& Stepper::halo() const {
  return state_->runner.halo();
}

const Schedule& Stepper::schedule() const {
  return state_->in_use();
}

bool Stepper::deciding() const {
  return state_->asked.kind == ScheduleKind::automatic && state_->automatic.deciding();
}

StepCosts Stepper::costs() const {
  const auto& known = state_->automatic.calibrated();
  if (known) return known->costs;
  StepCosts unknown;
  unknown.owns_core = state_->runner.node().team_fits;
  return unknown;
}

std::vector<ScheduleCost> Stepper::schedules() const {
  return state_->automatic.schedules();
}

std::string Stepper::explain() const {
  return solve::explain_text(halo(), state_->runner.agreed(), state_->automatic, state_->asked,
                             schedule());
}

void Stepper::measure(std::span<const FieldView> in, const Update& update, int repetitions) {
  state_->automatic.measure(in, update, repetitions);
}

std::int64_t Stepper::verified_exchanges() const {
  return state_->verifier.exchanges();
}

}  // namespace plait
