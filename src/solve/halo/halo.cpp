// SPDX-License-Identifier: BSD-3-Clause
// The steps of an exchange, the properties of a halo, and the names of transports and packings.
#include "plait/halo.hpp"

#include <array>
#include <exception>
#include <set>
#include <string_view>
#include <utility>

#include "plait/error.hpp"
#include "solve/halo/state.hpp"

namespace plait {
namespace {

template <class T, std::size_t count>
using Names = std::array<std::pair<std::string_view, T>, count>;

constexpr Names<Transport, 5> transports{{{"automatic", Transport::automatic},
                                          {"point_to_point", Transport::point_to_point},
                                          {"persistent", Transport::persistent},
                                          {"neighborhood", Transport::neighborhood},
                                          {"shared_memory", Transport::shared_memory}}};
constexpr Names<Packing, 3> packings{{{"automatic", Packing::automatic},
                                      {"threads", Packing::threads},
                                      {"datatypes", Packing::datatypes}}};

template <class T, std::size_t count>
std::string name_of(const Names<T, count>& names, T value) {
  for (const auto& [name, known] : names) {
    if (known == value) return std::string(name);
  }
  return "";
}

template <class T, std::size_t count>
T value_of(const Names<T, count>& names, const char* kind, const std::string& text) {
  std::string all;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(std::string(kind) + " \"" + text + "\"", "unknown", "use one of " + all);
}

}  // namespace

std::string to_string(Transport transport) {
  return name_of(transports, transport);
}
std::string to_string(Packing packing) {
  return name_of(packings, packing);
}

Transport parse_transport(const std::string& text) {
  return value_of(transports, "transport", text);
}
Packing parse_packing(const std::string& text) {
  return value_of(packings, "packing", text);
}

Halo::Halo(const CartesianGrid& grid, std::span<const FieldView> layout, const Options& options)
    : plan_(std::make_unique<Plan>(grid, layout, options)) {}

Halo::~Halo() {
  if (plan_->stage == Plan::Stage::ended) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  // While an error unwinds the stack, the neighbours may never send: leave the memory to MPI.
  if (plan_->stage == Plan::Stage::sent && finalized == 0 && std::uncaught_exceptions() == 0) {
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
    throw Error("halo", "no exchange has been started", "call start() before each finish()");
  }
  plan_->to_be_finished = false;
  wait();
  Plan::run(plan_->unpack, plan_->unpack_memory);
}

void Halo::begin(std::span<const FieldView> fields) {
  Plan& plan = *plan_;
  if (plan.stage != Plan::Stage::ended) {
    throw Error("halo", "the last exchange has not finished",
                "call finish() before the next exchange, or use one halo per concurrent exchange");
  }
  plan.require_planned(fields);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    plan.pack_memory[f] = plan.unpack_memory[f] = static_cast<std::byte*>(fields[f].origin);
  }
  plan.transport->begin(fields);
  plan.stage = Plan::Stage::begun;
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
