// SPDX-License-Identifier: BSD-3-Clause
// Exchanges a halo by MPI-4 partitioned communication.
#include "solve/schedules/partitioned.hpp"

#include <algorithm>

#include "plait/environment.hpp"
#include "solve/halo/messages.hpp"
#include "solve/halo/state.hpp"
#include "solve/schedules/stepper_team.hpp"

namespace plait::solve {

#if MPI_VERSION >= 4

namespace {

constexpr int tag = 0;  // the communicator belongs to this exchange alone

/// Partitions of about 32 kB, at most eight: more would cost more than they gain.
int partitions_of(std::int64_t bytes) {
  return static_cast<int>(std::clamp<std::int64_t>(bytes / 32768, 1, 8));
}

/// All partitions of a message have the same length, so the last may extend past the message's end.
std::int64_t partition_bytes(std::int64_t bytes) {
  const int partitions = partitions_of(bytes);
  return (bytes + partitions - 1) / partitions;
}

bool complete(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

}  // namespace

PartitionedExchange::PartitionedExchange(const Halo& halo) : halo_(halo) {
  const auto& plan = *halo.plan_;
  fields_ = plan.layout.size();
  MPI_Comm_dup(halo.grid().comm(), &comm_);
  std::int64_t all = 0;
  for (const HaloMessage& message : plan.messages) {
    all += 2 * partition_bytes(message.bytes) * partitions_of(message.bytes);
  }
  buffer_.resize(static_cast<std::size_t>(all));
  pack_memory_.assign(fields_ + plan.messages.size(), nullptr);
  unpack_memory_ = pack_memory_;
  std::byte* place = buffer_.data();
  for (std::size_t m = 0; m < plan.messages.size(); ++m) {
    const std::int64_t part = partition_bytes(plan.messages[m].bytes);
    const int partitions = partitions_of(plan.messages[m].bytes);
    const int peer = plan.messages[m].peer.rank;
    std::byte* const outgoing = pack_memory_[fields_ + m] = place;
    std::byte* const incoming = unpack_memory_[fields_ + m] = place + part * partitions;
    place += 2 * part * partitions;
    Message& message = messages_.emplace_back();
    message.partitions = partitions;
    std::vector<bool> packed(plan.messages.size(), false);
    packed[m] = true;
    message.pack = pack_copies(plan.shape, plan.layout, plan.messages, packed);
    MPI_Psend_init(outgoing, partitions, part, MPI_BYTE, peer, tag, comm_, MPI_INFO_NULL,
                   &message.send);
    MPI_Precv_init(incoming, partitions, part, MPI_BYTE, peer, tag, comm_, MPI_INFO_NULL,
                   &message.receive);
  }
  unpack_ = unpack_copies(plan.shape, plan.layout, plan.messages,
                          std::vector<bool>(plan.messages.size(), true));
}

PartitionedExchange::~PartitionedExchange() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  for (Message& message : messages_) {
    MPI_Request_free(&message.send);
    MPI_Request_free(&message.receive);
  }
  MPI_Comm_free(&comm_);
}

void PartitionedExchange::begin(std::span<const FieldView> fields) {
  halo_.plan_->require_planned(fields);
  for (std::size_t f = 0; f < fields_; ++f) {
    pack_memory_[f] = unpack_memory_[f] = static_cast<std::byte*>(fields[f].origin);
  }
  for (Message& message : messages_) {
    MPI_Start(&message.receive);
    MPI_Start(&message.send);
  }
}

void PartitionedExchange::pack_and_send() {
  for (Message& message : messages_) {
    message.pack.run(pack_memory_, 0, 1);
    MPI_Pready_range(0, message.partitions - 1, message.send);
  }
}

bool PartitionedExchange::test() {
  // Testing a request that has completed before is allowed: an inactive request tests as complete.
  bool all = true;
  for (Message& message : messages_) {
    all = complete(message.receive) && all;
    all = complete(message.send) && all;
  }
  return all;
}

void PartitionedExchange::wait() {
  while (!test()) {
  }
}

#else

PartitionedExchange::PartitionedExchange(const Halo& halo) : halo_(halo) {
  require_partitioned(halo.grid().comm());
}
PartitionedExchange::~PartitionedExchange() = default;
void PartitionedExchange::begin(std::span<const FieldView>) {}
void PartitionedExchange::pack_and_send() {}
bool PartitionedExchange::test() {
  return true;
}
void PartitionedExchange::wait() {}

#endif

void PartitionedExchange::unpack(int part, int parts) {
  unpack_.run(unpack_memory_, part, parts);
}

void run_partitioned(const StepJob& job, PartitionedExchange& exchange) {
  const std::span<const Box> interior(&job.cells.interior, 1);
  exchange.begin(job.fields);
  with_team(job.threads, [&](const Member& me) {
    if (job.order == Order::boundary_first) {
      update_share(job, job.cells.boundary, me.id, me.size);
      me.barrier();
    }
    if (me.leads()) exchange.pack_and_send();
    update_share(job, interior, me.id, me.size);
    if (me.leads()) job.waiter.wait(exchange);
    me.barrier();
    exchange.unpack(me.id, me.size);
    if (job.order == Order::exchange_first) {
      me.barrier();
      update_share(job, job.cells.boundary, me.id, me.size);
    }
  });
}

}  // namespace plait::solve
