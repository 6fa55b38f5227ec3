// SPDX-License-Identifier: BSD-3-Clause
// Runs a solver's step under a schedule: the public face of the runner, with its checks.
#include "plait/stepper.hpp"

#include "solve/stepper_runner.hpp"
#include "solve/verify.hpp"

namespace plait {

using solve::Order;

struct Stepper::State {
  State(Halo& halo, const Schedule& schedule)
      : asked(schedule), runner(halo, schedule), prepared(runner.prepare(schedule)) {}

  void run(Order order, std::span<const FieldView> fields, const Update& update) {
    runner.run(prepared, order, fields, update);
    verifier.check(runner.halo(), fields, prepared.schedule);
  }

  Schedule asked;
  solve::Runner runner;
  solve::Prepared prepared;
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
  return state_->prepared.schedule;
}

std::int64_t Stepper::verified_exchanges() const {
  return state_->verifier.exchanges();
}

}  // namespace plait
