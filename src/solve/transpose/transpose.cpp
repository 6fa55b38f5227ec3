// SPDX-License-Identifier: BSD-3-Clause
// The steps of a transpose, its properties, and the names of transports.
#include "plait/transpose.hpp"

#include <array>
#include <exception>
#include <string_view>
#include <utility>

#include "plait/error.hpp"
#include "solve/transpose/in_flight.hpp"
#include "solve/transpose/state.hpp"

namespace plait {
namespace {

constexpr std::array<std::pair<std::string_view, TransposeTransport>, 5> transposing{
    {{"automatic", TransposeTransport::automatic},
     {"alltoallv", TransposeTransport::alltoallv},
     {"alltoallw", TransposeTransport::alltoallw},
     {"point_to_point", TransposeTransport::point_to_point},
     {"shared_memory", TransposeTransport::shared_memory}}};

}  // namespace

std::string to_string(TransposeTransport transport) {
  for (const auto& [name, known] : transposing) {
    if (known == transport) return std::string(name);
  }
  return "";
}

TransposeTransport parse_transpose_transport(const std::string& text) {
  std::string all;
  for (const auto& [name, transport] : transposing) {
    if (name == text) return transport;
    all += (all.empty() ? "" : ", ") + std::string(name);
  }
  throw Error("transport \"" + text + "\"", "unknown", "use one of " + all);
}

Transpose::Transpose(MPI_Comm comm, const TransposeShape& shape, const Options& options)
    : plan_(std::make_unique<Plan>(comm, shape, options)) {}

Transpose::~Transpose() {
  bool under_way = false;
  for (const Plan::Set& set : plan_->sets) under_way |= set.stage == Plan::Stage::started;
  if (!under_way) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  // While an error unwinds the stack, others may never send: leave the memory to MPI.
  if (finalized != 0 || std::uncaught_exceptions() > 0) {
    [[maybe_unused]] const Plan* kept = plan_.release();
    return;
  }
  for (std::size_t set = 0; set < plan_->sets.size(); ++set) {
    if (plan_->sets[set].stage == Plan::Stage::started) wait(plan_->chunk_of(set));
  }
}

void Transpose::transpose(std::span<const void* const> from, std::span<void* const> to) {
  begin(from, to);
  start(whole);
  finish(whole);
}

void Transpose::begin(std::span<const void* const> from, std::span<void* const> to) {
  Plan& plan = *plan_;
  const auto fields = static_cast<std::size_t>(plan.geometry.shape().fields);
  if (from.size() != fields || to.size() != fields) {
    throw Error("transpose of " + std::to_string(from.size()) + " sources to " +
                    std::to_string(to.size()) + " destinations",
                "planned for " + std::to_string(fields), "create one transpose per number");
  }
  for (const Plan::Set& set : plan.sets) {
    if (set.stage != Plan::Stage::started) continue;
    throw Error("transpose", "a chunk of the last one is under way",
                "call finish() for each started chunk before the next begin()");
  }
  for (Plan::Set& set : plan.sets) set.stage = Plan::Stage::none;
  plan.begun = true;
  plan.shares = false;
  plan.overwritten.assign(fields, false);
  const solve::MemoryIndex index{plan.geometry.shape().fields};
  for (std::size_t f = 0; f < fields; ++f) {
    // Sources are only read.
    plan.memory[f] = static_cast<std::byte*>(const_cast<void*>(from[f]));
    plan.memory[fields + f] = static_cast<std::byte*>(to[f]);
    const int shared = index.shared(plan.rank, static_cast<int>(f));
    if (plan.window && plan.memory[f] != plan.memory[static_cast<std::size_t>(shared)]) {
      plan.shares = true;
    }
  }
}

void Transpose::start(int chunk) {
  Plan& plan = *plan_;
  const std::size_t set = plan.set_of(chunk);
  bool others = false;
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    const bool together = s != set && (chunk == whole || s + 1 == plan.sets.size());
    others |= together && plan.sets[s].stage != Plan::Stage::none;
  }
  if (!plan.begun || others || plan.sets[set].stage != Plan::Stage::none) {
    throw Error("transpose: " + (chunk == whole ? "whole" : "chunk " + std::to_string(chunk)),
                plan.begun ? "has been started" : "begin() has not been called",
                "call begin(), then start() once for each chunk or once for the whole");
  }
  for (std::size_t s = 0; s < plan.sets.size(); ++s) {
    const Plan* user = (*plan.buffer_users)[s];
    if (user == nullptr || user == &plan || !plan.meets(set, s)) continue;
    throw Error("transpose: " + (chunk == whole ? "whole" : "chunk " + std::to_string(chunk)),
                "the transpose with the same buffers uses them",
                "call finish() for its chunk first");
  }
  plan.run(plan.sets[set].copies.pack);
  if (plan.shares) plan.run(plan.sets[set].copies.share);
  send(chunk);
  plan.run(plan.sets[set].copies.own);
}

void Transpose::finish(int chunk) {
  Plan& plan = *plan_;
  const std::size_t set = plan.set_of(chunk);
  if (plan.sets[set].stage != Plan::Stage::started) {
    throw Error("transpose: " + (chunk == whole ? "whole" : "chunk " + std::to_string(chunk)),
                "has not been started", "call start() before each finish()");
  }
  solve::ChunkArrival arrival(*this, chunk);
  plan.waiter.wait(arrival);
  plan.run(plan.sets[set].copies.unpack);
  plan.keep(chunk);
  acknowledge(chunk);
  solve::ChunkRelease release(*this, chunk);
  plan.waiter.wait(release);
  plan.verify_kept("");
}

void Transpose::pack(int chunk, int part, int parts) {
  const Plan::Set& set = plan_->sets[plan_->set_of(chunk)];
  set.copies.pack.run(plan_->memory, part, parts);
  if (plan_->shares) set.copies.share.run(plan_->memory, part, parts);
}

void Transpose::send(int chunk) {
  const std::size_t set = plan_->set_of(chunk);
  plan_->keep_sources(chunk);
  (*plan_->buffer_users)[set] = plan_.get();
  plan_->messages->send(set);
  plan_->sets[set].stage = Plan::Stage::started;
}

void Transpose::copy_own(int chunk, int part, int parts) {
  plan_->sets[plan_->set_of(chunk)].copies.own.run(plan_->memory, part, parts);
}

bool Transpose::test(int chunk) {
  const std::size_t set = plan_->set_of(chunk);
  return plan_->sets[set].stage == Plan::Stage::started && plan_->messages->test(set);
}

void Transpose::wait(int chunk) {
  plan_->messages->wait(plan_->set_of(chunk));
}

void Transpose::unpack(int chunk, int part, int parts) {
  plan_->sets[plan_->set_of(chunk)].copies.unpack.run(plan_->memory, part, parts);
}

void Transpose::acknowledge(int chunk) {
  plan_->messages->unpacked(plan_->set_of(chunk));
}

bool Transpose::released(int chunk) {
  const std::size_t set = plan_->set_of(chunk);
  if (plan_->sets[set].stage == Plan::Stage::finished) return true;
  if (!plan_->messages->released(set)) return false;
  plan_->sets[set].stage = Plan::Stage::finished;
  const Plan*& user = (*plan_->buffer_users)[set];
  if (user == plan_.get()) user = nullptr;
  return true;
}

MPI_Comm Transpose::comm() const {
  return plan_->comm;
}

const TransposeShape& Transpose::shape() const {
  return plan_->geometry.shape();
}

int Transpose::chunks() const {
  return plan_->options.chunks;
}

int Transpose::chunk_axis() const {
  return plan_->geometry.chunk_axis();
}

TransposeTransport Transpose::transport() const {
  return plan_->options.transport;
}

const TransposeArray& Transpose::source() const {
  return plan_->source;
}

const TransposeArray& Transpose::destination() const {
  return plan_->destination;
}

std::vector<IndexRange> Transpose::source_planes(int chunk) const {
  static_cast<void>(plan_->set_of(chunk));
  return plan_->geometry.planes(solve::Side::from, plan_->rank, chunk);
}

std::vector<IndexRange> Transpose::destination_planes(int chunk) const {
  static_cast<void>(plan_->set_of(chunk));
  return plan_->geometry.planes(solve::Side::to, plan_->rank, chunk);
}

void* Transpose::source_memory(int field) {
  Plan& plan = *plan_;
  if (field < 0 || field >= plan.geometry.shape().fields) {
    throw Error("transpose: field " + std::to_string(field), "does not exist",
                "give 0 to the number of fields - 1");
  }
  if (plan.window) return plan.window->array(plan.rank, field);
  if (plan.source_arrays.empty()) {
    constexpr std::size_t line = solve::TransposeWindow::alignment;
    const auto bytes =
        static_cast<std::size_t>(plan.source.elements) * plan.geometry.shape().element_bytes;
    for (int f = 0; f < plan.geometry.shape().fields; ++f) {
      plan.source_arrays.push_back(std::make_unique<std::byte[]>(bytes + line));
    }
  }
  void* place = plan.source_arrays[static_cast<std::size_t>(field)].get();
  std::size_t space = 2 * solve::TransposeWindow::alignment;
  return std::align(solve::TransposeWindow::alignment, 1, place, space);
}

std::int64_t Transpose::bytes() const {
  std::int64_t elements = 0;
  for (int peer = 0; peer < plan_->size; ++peer) {
    if (peer != plan_->rank) elements += plan_->geometry.box(plan_->rank, peer, whole).elements();
  }
  return elements * shape().fields * static_cast<std::int64_t>(shape().element_bytes);
}

std::int64_t Transpose::cross_node_bytes() const {
  std::int64_t elements = 0;
  const std::vector<int>& nodes = plan_->node_of_rank;
  for (int peer = 0; peer < plan_->size; ++peer) {
    if (nodes[static_cast<std::size_t>(peer)] == nodes[static_cast<std::size_t>(plan_->rank)]) {
      continue;
    }
    elements += plan_->geometry.box(plan_->rank, peer, whole).elements();
  }
  return elements * shape().fields * static_cast<std::int64_t>(shape().element_bytes);
}

std::int64_t Transpose::buffer_bytes() const {
  return plan_->buffer_bytes + (plan_->window ? plan_->window->bytes() : 0);
}

std::int64_t Transpose::verified() const {
  return plan_->verified;
}

std::int64_t Transpose::unlike_blocking(std::span<const void* const> from,
                                        std::span<const void* const> to) const {
  return solve::unlike_plain_transpose(plan_->geometry, plan_->comm, plan_->rank,
                                       plan_->source.strides, plan_->destination.strides, from, to);
}

}  // namespace plait
