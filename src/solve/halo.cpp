// SPDX-License-Identifier: BSD-3-Clause
// The steps of an exchange, and what a halo tells about itself.
#include "plait/halo.hpp"

#include <exception>
#include <set>

#include "plait/error.hpp"
#include "solve/halo_state.hpp"

namespace plait {

Halo::Halo(const CartesianGrid& grid, std::span<const FieldView> layout, const Options& options)
    : plan_(std::make_unique<Plan>(grid, layout, options)) {}

Halo::~Halo() {
  if (plan_->stage == Plan::Stage::ended) return;
  int finalised = 0;
  MPI_Finalized(&finalised);
  // While an error unwinds the stack the neighbours may never send, and MPI keeps the memory.
  if (plan_->stage == Plan::Stage::sent && finalised == 0 && std::uncaught_exceptions() == 0) {
    plan_->transport->wait();
  } else {
    [[maybe_unused]] const Plan* kept = plan_.release();
  }
}

void Halo::exchange(std::span<const FieldView> fields) {
  start(fields);
  finish();
}

void Halo::start(std::span<const FieldView> fields) {
  begin(fields);
  Plan::run(plan_->pack, plan_->pack_memory);
  send();
  plan_->to_be_finished = true;
}

void Halo::finish() {
  if (!plan_->to_be_finished) {
    throw Error("halo", "no exchange has been started that could be finished",
                "start() one before each finish()");
  }
  plan_->to_be_finished = false;
  wait();
  Plan::run(plan_->unpack, plan_->unpack_memory);
}

void Halo::begin(std::span<const FieldView> fields) {
  Plan& plan = *plan_;
  if (plan.stage != Plan::Stage::ended) {
    throw Error("halo", "its last exchange has not ended",
                "finish() each before the next, or make a halo for each of those at a time");
  }
  plan.require_planned(fields);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    plan.pack_memory[f] = plan.unpack_memory[f] = static_cast<std::byte*>(fields[f].origin);
  }
  plan.transport->begin(fields);
  plan.stage = Plan::Stage::begun;
}

void Halo::Plan::require_planned(std::span<const FieldView> fields) const {
  if (fields.size() != layout.size()) {
    throw Error("halo", "was planned for another number of fields", "make a halo for each number");
  }
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const FieldView& view = fields[f];
    const FieldView& planned = layout[f];
    if (view.own != planned.own || view.element_bytes != planned.element_bytes ||
        view.ghost < shape.width || view.stride_y != planned.stride_y ||
        view.stride_z != planned.stride_z) {
      throw Error("halo", "was planned for a field of another layout",
                  "allocate fields that are swapped alike");
    }
  }
}

void Halo::pack(int part, int parts) {
  plan_->pack.run(plan_->pack_memory, part, parts);
}

void Halo::send() {
  plan_->transport->send();
  plan_->stage = Plan::Stage::sent;
}

bool Halo::test() {
  const bool ended = plan_->transport->test();
  if (ended) plan_->stage = Plan::Stage::ended;
  return ended;
}

void Halo::wait() {
  plan_->transport->wait();
  plan_->stage = Plan::Stage::ended;
}

void Halo::unpack(int part, int parts) {
  plan_->unpack.run(plan_->unpack_memory, part, parts);
}

const CartesianGrid& Halo::grid() const {
  return plan_->grid;
}

int Halo::width() const {
  return plan_->shape.width;
}

Transport Halo::transport() const {
  return plan_->options.transport;
}

Packing Halo::packing() const {
  return plan_->options.packing;
}

Box Halo::own() const {
  return {{0, 0, 0}, plan_->shape.own};
}

Box Halo::interior() const {
  return solve::halo_interior(plan_->shape);
}

std::vector<Box> Halo::boundary() const {
  return solve::halo_boundary(own(), interior());
}

int Halo::neighbours() const {
  std::set<int> ranks;
  for (const Int3& direction : solve::halo_directions(plan_->shape.edges_and_corners)) {
    const int rank = plan_->shape.neighbour_at(direction);
    if (rank != solve::no_rank) ranks.insert(rank);
  }
  return static_cast<int>(ranks.size());
}

std::int64_t Halo::bytes() const {
  std::int64_t all = 0;
  for (const solve::HaloMessage& message : plan_->messages) all += message.bytes;
  return all;
}

std::int64_t Halo::cross_node_bytes() const {
  std::int64_t all = 0;
  for (const solve::HaloMessage& message : plan_->messages) {
    if (!plan_->on_node(message.peer.rank)) all += message.bytes;
  }
  return all;
}

int Halo::cross_node_messages() const {
  int count = 0;
  for (const solve::HaloMessage& message : plan_->messages) {
    if (!plan_->on_node(message.peer.rank)) ++count;
  }
  return count;
}

}  // namespace plait
