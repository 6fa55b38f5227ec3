// SPDX-License-Identifier: BSD-3-Clause
// Generates the trace of a halo exchange on a grid of ranks in memory.
#include "halo_trace.hpp"

#include <algorithm>
#include <array>

namespace plait::bench {
namespace {

using trace::EventKind;
using trace::OperationKind;

constexpr std::int64_t kCallNs = 300;
constexpr std::int64_t kMessageNs = 5000;
constexpr std::uint64_t kBytes = 8192;
constexpr int kNeighbours = 4;
/// Posts four receives and sends, waits for them, and then runs a reduction.
constexpr std::uint64_t kEventsOfIteration = 2 * kNeighbours + 2;

enum Function : std::uint32_t { kIrecv, kIsend, kWaitall, kAllreduce };

class Maker {
public:
  explicit Maker(int side) : side_(side), clock_(static_cast<std::size_t>(side) * side, 0) {
    trace_.functions = {"MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce"};
    trace_.is_collective = {false, false, false, true};
    trace_.nodes = {"node"};
    trace_.sites.resize(trace_.functions.size());
    trace_.comms.resize(1);
    trace_.ranks.resize(clock_.size());
    for (std::size_t rank = 0; rank < clock_.size(); ++rank) {
      trace_.comms[0].members.push_back(static_cast<int>(rank));
      trace_.ranks[rank].world_rank = static_cast<int>(rank);
      trace_.ranks[rank].streams.resize(1);
    }
    completion_ = shape(EventKind::complete, kWaitall, PLAIT_NO_PEER, PLAIT_ANY_TAG);
    reduction_ = shape(EventKind::collective, kAllreduce, PLAIT_NO_PEER, PLAIT_ANY_TAG);
    for (std::size_t peer = 0; peer < clock_.size(); ++peer) {
      for (int tag = 0; tag < kNeighbours; ++tag) {
        shape(EventKind::start, kIrecv, static_cast<int>(peer), tag);
        shape(EventKind::start, kIsend, static_cast<int>(peer), tag);
      }
    }
  }

  void iteration(std::uint64_t number) {
    const auto ranks = clock_.size();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      // One rank in 64 takes 1.5 times as long; the others vary by a tenth.
      const std::uint64_t noise = (rank * 2654435761U + number * 40503U) >> 7U;
      clock_[rank] +=
          100'000 + static_cast<std::int64_t>(noise % 10'000) + (rank % 64 == 13 ? 50'000 : 0);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) post(rank);
    std::vector<std::int64_t> sent = clock_;
    std::int64_t last = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::int64_t arrived = clock_[rank];
      for (int side = 0; side < kNeighbours; ++side) {
        arrived = std::max(arrived, sent[neighbour(rank, side)] + kMessageNs);
      }
      complete(rank, arrived);
      last = std::max(last, clock_[rank]);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) reduce(rank, last + kMessageNs);
  }

  trace::Trace take() {
    for (std::size_t rank = 0; rank < clock_.size(); ++rank) trace_.ranks[rank].end = clock_[rank];
    trace::match(trace_);
    return std::move(trace_);
  }

private:
  std::uint32_t shape(EventKind kind, std::uint32_t function, int peer, int tag) {
    trace::Shape of;
    of.kind = kind;
    of.function = function;
    of.site = function;
    of.comm = 0;
    of.peer = peer;
    of.tag = tag;
    trace_.shapes.push_back(of);
    return static_cast<std::uint32_t>(trace_.shapes.size() - 1);
  }
  [[nodiscard]] std::uint32_t start_shape(std::size_t peer, int tag, bool sends) const {
    return 2 +
           static_cast<std::uint32_t>(2 * (peer * kNeighbours + static_cast<std::size_t>(tag))) +
           (sends ? 1 : 0);
  }

  /// On a torus: east, west, north, south; opposite sides differ in the last bit.
  [[nodiscard]] std::size_t neighbour(std::size_t rank, int side) const {
    constexpr std::array<std::array<int, 2>, kNeighbours> kSteps{
        {{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
    const auto step = kSteps[static_cast<std::size_t>(side)];
    const int x = (static_cast<int>(rank) % side_ + step[0] + side_) % side_;
    const int y = (static_cast<int>(rank) / side_ + step[1] + side_) % side_;
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(side_) +
           static_cast<std::size_t>(x);
  }

  trace::Event& call(std::size_t rank, std::uint32_t of, std::int64_t until) {
    trace::Event event;
    event.begin = clock_[rank];
    event.end = clock_[rank] = until;
    event.shape = of;
    event.bytes = kBytes;
    return trace_.ranks[rank].streams[0].events.emplace_back(event);
  }

  void start(std::size_t rank, OperationKind kind, std::uint32_t of, int partner, int tag,
             std::int64_t until) {
    trace::Rank& at = trace_.ranks[rank];
    trace::Event& event = call(rank, of, until);
    event.first_operation = static_cast<std::uint32_t>(at.operations.size());
    event.operations = 1;
    trace::Operation operation;
    operation.kind = kind;
    operation.bytes = operation.capacity = kBytes;
    operation.shape = of;
    operation.started = static_cast<std::uint32_t>(at.streams[0].events.size() - 1);
    operation.partner = partner;
    operation.tag = tag;
    if (kind == OperationKind::collective) operation.ended = operation.started;
    at.operations.push_back(operation);
  }

  void post(std::size_t rank) {
    for (int side = 0; side < kNeighbours; ++side) {
      const std::size_t peer = neighbour(rank, side);
      start(rank, OperationKind::receive, start_shape(peer, side ^ 1, false),
            static_cast<int>(peer), side ^ 1, clock_[rank] + kCallNs);
    }
    for (int side = 0; side < kNeighbours; ++side) {
      const std::size_t peer = neighbour(rank, side);
      start(rank, OperationKind::send, start_shape(peer, side, true), static_cast<int>(peer), side,
            clock_[rank] + kCallNs);
    }
  }

  void complete(std::size_t rank, std::int64_t until) {
    trace::Rank& at = trace_.ranks[rank];
    trace::Event& event = call(rank, completion_, until);
    const auto number = static_cast<std::uint32_t>(at.streams[0].events.size() - 1);
    event.first_ended = static_cast<std::uint32_t>(at.ended.size());
    event.ended_count = 2 * kNeighbours;
    const auto count = static_cast<std::uint32_t>(at.operations.size());
    for (std::uint32_t i = count - 2 * kNeighbours; i < count; ++i) {
      at.ended.push_back(i);
      at.operations[i].ended = number;
    }
  }

  void reduce(std::size_t rank, std::int64_t until) {
    start(rank, OperationKind::collective, reduction_, -1, 0, until);
  }

  int side_;
  std::vector<std::int64_t> clock_;
  std::uint32_t completion_ = 0, reduction_ = 0;
  trace::Trace trace_;
};

}  // namespace

trace::Trace halo_trace(std::uint64_t events, int side) {
  Maker maker(side);
  const auto ranks = static_cast<std::uint64_t>(side) * static_cast<std::uint64_t>(side);
  const std::uint64_t each = ranks * kEventsOfIteration;
  for (std::uint64_t i = 0; i * each < events; ++i) maker.iteration(i);
  return maker.take();
}

}  // namespace plait::bench
