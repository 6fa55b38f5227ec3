// SPDX-License-Identifier: BSD-3-Clause
// Runs a solver's step under a schedule: the public face of the runner, with its checks.
#include "plait/stepper.hpp"

#include <omp.h>

#include <array>
#include <cstring>

#include "solve/stepper_runner.hpp"
#include "solve/verify.hpp"

namespace plait {
namespace {

using solve::Order;

/// An error when this rank's schedule is not that of rank 0. Collective.
std::unique_ptr<Error> unlike_first_rank(MPI_Comm comm, const Schedule& schedule) {
  std::array<char, 160> first{};
  const std::string own = to_string(schedule);
  std::strncpy(first.data(), own.c_str(), first.size() - 1);
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, comm);
  if (own == first.data()) return nullptr;
  return std::make_unique<Error>(
      "schedule " + own,
      "rank 0 has " + std::string(first.data()) + ", and all ranks of a grid need the same",
      "give all ranks the same schedule or PLAIT_SCHEDULE");
}

}  // namespace

struct Stepper::State {
  State(Halo& halo, const Schedule& schedule)
      : asked(schedule), runner(halo), prepared(runner.prepare(schedule)) {}

  void run(Order order, std::span<const FieldView> fields, const Update& update) {
    runner.run(prepared, order, fields, update);
    verifier.check(runner.halo(), fields, prepared.schedule);
  }

  Schedule asked;
  solve::Runner runner;
  solve::Prepared prepared;
  solve::Verifier verifier;
};

Stepper::Stepper(Halo& halo, const Schedule& schedule) {
  const MPI_Comm comm = halo.grid().comm();
  agree_on_error(comm, unlike_first_rank(comm, schedule).get());
  state_ = std::make_unique<State>(halo, schedule);
  agree_on_error(comm, state_->runner.refusal(schedule, omp_get_max_threads()).get());
}

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
