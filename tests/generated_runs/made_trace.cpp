// SPDX-License-Identifier: BSD-3-Clause
// Builds traces call by call, as the reader would return them.
#include "made_trace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace plait::trace {

namespace {

std::int64_t ns(double seconds) {
  return std::llround(seconds * 1e9);
}

/// The index of `name` in `known`; calls `add` when it is new.
template <class Add>
std::uint32_t index_of(std::map<std::string, std::uint32_t>& known, const std::string& name,
                       Add add) {
  const auto [at, is_new] = known.try_emplace(name, static_cast<std::uint32_t>(known.size()));
  if (is_new) {
    add();
  }
  return at->second;
}

}  // namespace

MadeTrace::MadeTrace(int ranks, int ranks_per_node)
    : clock_(static_cast<std::size_t>(ranks), 0), stream_(static_cast<std::size_t>(ranks), 0) {
  std::vector<int> world(static_cast<std::size_t>(ranks));
  std::iota(world.begin(), world.end(), 0);
  trace_.comms.push_back({"MPI_COMM_WORLD", std::move(world), {}});
  for (int rank = 0; rank < ranks; ++rank) {
    const int node = ranks_per_node > 0 ? rank / ranks_per_node : 0;
    if (static_cast<std::size_t>(node) == trace_.nodes.size()) {
      trace_.nodes.push_back("node" + std::to_string(node));
    }
    Rank& made = trace_.ranks.emplace_back();
    made.world_rank = rank;
    made.node = static_cast<std::uint32_t>(node);
    made.host = trace_.nodes.back();
    made.streams.resize(1);
    made.streams[0].tid = 1000 + rank;
    made.streams[0].omp_thread = 0;
  }
  from("");
}

void MadeTrace::compute(int rank, double seconds) {
  clock_[static_cast<std::size_t>(rank)] += ns(seconds);
}

void MadeTrace::wait_for_cpu(int rank, double before, double inside) {
  const auto at = static_cast<std::size_t>(rank);
  trace_.ranks[at].streams[stream_[at]].cpu_waits.push_back({clock_[at], ns(before), ns(inside)});
}

double MadeTrace::now(int rank) const {
  return static_cast<double>(clock_[static_cast<std::size_t>(rank)]) * 1e-9;
}

void MadeTrace::from(const std::string& site) {
  site_ = index_of(sites_, site, [&] {
    TraceSite made;
    if (!site.empty()) {
      made.frames.push_back({site, 0, 0});
    }
    trace_.sites.push_back(std::move(made));
  });
}

std::uint32_t MadeTrace::function(const char* name, bool collective) {
  return index_of(functions_, name, [&] {
    trace_.functions.emplace_back(name);
    trace_.is_collective.push_back(collective);
  });
}

std::uint32_t MadeTrace::shape(const Shape& of) {
  const ShapeKey key{static_cast<std::uint32_t>(of.kind),
                     of.flags,
                     of.function,
                     of.site,
                     of.comm,
                     static_cast<std::uint32_t>(of.peer),
                     static_cast<std::uint32_t>(of.tag)};
  const auto [at, is_new] =
      shapes_.try_emplace(key, static_cast<std::uint32_t>(trace_.shapes.size()));
  if (is_new) {
    trace_.shapes.push_back(of);
  }
  return at->second;
}

Event& MadeTrace::call(int rank, EventKind kind, const char* function_name, double seconds,
                       int peer, int tag, std::uint32_t comm, std::uint32_t flags) {
  Shape of;
  of.kind = kind;
  of.flags = flags;
  of.function = function(function_name, kind == EventKind::collective);
  of.site = site_;
  of.comm = comm;
  of.peer = peer;
  of.tag = tag;
  Event event;
  std::int64_t& clock = clock_[static_cast<std::size_t>(rank)];
  event.begin = clock;
  clock += ns(seconds);
  event.end = clock;
  event.shape = shape(of);
  return stream_of(rank).events.emplace_back(event);
}

std::uint32_t MadeTrace::start(int rank, Event& event, OperationKind kind, std::uint64_t bytes,
                               int partner, int tag, bool wildcard) {
  Rank& of = trace_.ranks[static_cast<std::size_t>(rank)];
  const auto number = static_cast<std::uint32_t>(of.operations.size());
  if (event.operations++ == 0) {
    event.first_operation = number;
  }
  Operation operation;
  operation.kind = kind;
  (kind == OperationKind::receive ? operation.capacity : operation.bytes) = bytes;
  operation.shape = event.shape;
  operation.stream = operation.end_stream = stream_[static_cast<std::size_t>(rank)];
  operation.started = static_cast<std::uint32_t>(stream_of(rank).events.size() - 1);
  operation.partner = partner;
  operation.tag = tag;
  operation.wildcard = wildcard;
  if (trace_.shapes[event.shape].kind != EventKind::start) {
    operation.ended = operation.started;
  }
  of.operations.push_back(operation);
  return number;
}

void MadeTrace::send(int rank, int to, std::uint64_t bytes, double seconds, int tag,
                     const char* function_name) {
  Event& event = call(rank, EventKind::send, function_name, seconds, to, tag, 0, 0);
  event.bytes = bytes;
  start(rank, event, OperationKind::send, bytes, to, tag, false);
}

void MadeTrace::receive(int rank, int source, std::uint64_t bytes, double seconds, int tag,
                        bool wildcard, const char* function_name) {
  Event& event =
      call(rank, EventKind::receive, function_name, seconds, wildcard ? PLAIT_ANY_PEER : source,
           wildcard ? PLAIT_ANY_TAG : tag, 0, wildcard ? PLAIT_SHAPE_WILDCARD : 0);
  event.bytes = bytes;
  start(rank, event, OperationKind::receive, bytes, source, tag, wildcard);
}

void MadeTrace::send_receive(int rank, int to, std::uint64_t bytes, int source,
                             std::uint64_t capacity, double seconds, int tag) {
  Event& event = call(rank, EventKind::send_receive, "MPI_Sendrecv", seconds, to, tag, 0, 0);
  event.bytes = bytes;
  start(rank, event, OperationKind::send, bytes, to, tag, false);
  const std::uint32_t receive =
      start(rank, event, OperationKind::receive, capacity, source, tag, false);
  Shape half = trace_.shapes[event.shape];
  half.kind = EventKind::receive;
  half.peer = source;
  trace_.ranks[static_cast<std::size_t>(rank)].operations[receive].shape = shape(half);
}

std::uint32_t MadeTrace::isend(int rank, int to, std::uint64_t bytes, double seconds, int tag) {
  Event& event = call(rank, EventKind::start, "MPI_Isend", seconds, to, tag, 0, 0);
  event.bytes = bytes;
  return start(rank, event, OperationKind::send, bytes, to, tag, false);
}

std::uint32_t MadeTrace::ireceive(int rank, int source, std::uint64_t bytes, double seconds,
                                  int tag, bool wildcard) {
  Event& event =
      call(rank, EventKind::start, "MPI_Irecv", seconds, wildcard ? PLAIT_ANY_PEER : source,
           wildcard ? PLAIT_ANY_TAG : tag, 0, wildcard ? PLAIT_SHAPE_WILDCARD : 0);
  event.bytes = bytes;
  return start(rank, event, OperationKind::receive, bytes, source, tag, wildcard);
}

void MadeTrace::wait(int rank, const std::vector<std::uint32_t>& requests, double seconds,
                     const char* function_name) {
  Event& event = call(rank, EventKind::complete, function_name, seconds, PLAIT_NO_PEER,
                      PLAIT_ANY_TAG, kNone, 0);
  Rank& of = trace_.ranks[static_cast<std::size_t>(rank)];
  event.first_ended = static_cast<std::uint32_t>(of.ended.size());
  event.ended_count = static_cast<std::uint16_t>(requests.size());
  for (const std::uint32_t request : requests) {
    of.ended.push_back(request);
    of.operations[request].ended = static_cast<std::uint32_t>(stream_of(rank).events.size() - 1);
    of.operations[request].end_stream = stream_[static_cast<std::size_t>(rank)];
  }
}

void MadeTrace::poll(int rank, double seconds, const char* function_name) {
  call(rank, EventKind::poll, function_name, seconds, PLAIT_NO_PEER, PLAIT_ANY_TAG, kNone,
       PLAIT_SHAPE_TEST);
}

void MadeTrace::other(int rank, const char* function_name, double seconds) {
  call(rank, EventKind::other, function_name, seconds, PLAIT_NO_PEER, PLAIT_ANY_TAG, kNone, 0);
}

void MadeTrace::collective(int rank, const char* function_name, std::uint64_t bytes, double seconds,
                           int root, std::uint32_t comm) {
  Event& event =
      call(rank, EventKind::collective, function_name, seconds, root, PLAIT_ANY_TAG, comm, 0);
  event.bytes = bytes;
  const std::uint32_t number = start(rank, event, OperationKind::collective, bytes, -1, 0, false);
  trace_.ranks[static_cast<std::size_t>(rank)].operations[number].capacity = bytes;
}

std::uint32_t MadeTrace::comm(std::vector<int> members, std::vector<int> remote_members,
                              std::vector<std::vector<int>> sources) {
  trace_.comms.push_back({"", std::move(members), std::move(remote_members), std::move(sources)});
  return static_cast<std::uint32_t>(trace_.comms.size() - 1);
}

void MadeTrace::region(int rank, const std::string& name, double begin) {
  Shape of;
  of.kind = EventKind::region;
  of.site = index_of(regions_, name, [&] { trace_.regions.push_back({name, {}, kNone}); });
  Event event;
  event.begin = ns(begin);
  event.end = clock_[static_cast<std::size_t>(rank)];
  event.shape = shape(of);
  stream_of(rank).events.push_back(event);
}

void MadeTrace::epoch(int rank, const char* function_name, double seconds, std::uint32_t window,
                      std::vector<int> partners) {
  call(rank, EventKind::one_sided, function_name, seconds, PLAIT_NO_PEER, PLAIT_ANY_TAG, window, 0);
  keep_epoch(rank, std::move(partners));
}

void MadeTrace::lock(int rank, const char* function_name, double seconds, std::uint32_t window,
                     int target, std::uint32_t flags) {
  call(rank, EventKind::one_sided, function_name, seconds, target, PLAIT_ANY_TAG, window, flags);
  keep_epoch(rank, {});
}

void MadeTrace::put(int rank, double seconds, std::uint32_t window, int target,
                    std::uint64_t bytes) {
  call(rank, EventKind::one_sided, "MPI_Put", seconds, target, PLAIT_ANY_TAG, window, 0).bytes =
      bytes;
}

void MadeTrace::keep_epoch(int rank, std::vector<int> partners) {
  const auto at = static_cast<std::size_t>(rank);
  trace_.ranks[at].epochs.push_back({stream_[at],
                                     static_cast<std::uint32_t>(stream_of(rank).events.size() - 1),
                                     std::move(partners)});
}

void MadeTrace::on_thread(int rank, std::uint32_t stream) {
  const auto at = static_cast<std::size_t>(rank);
  other_clocks_[{at, stream_[at]}] = clock_[at];
  stream_[at] = stream;
  clock_[at] = other_clocks_[{at, stream}];
  if (trace_.ranks[at].streams.size() <= stream) trace_.ranks[at].streams.resize(stream + 1);
}

void MadeTrace::openmp(int rank, EventKind kind, double begin) {
  Shape of;
  of.kind = kind;
  Event event;
  event.begin = ns(begin);
  event.end = clock_[static_cast<std::size_t>(rank)];
  event.shape = shape(of);
  stream_of(rank).events.push_back(event);
}

Stream& MadeTrace::stream_of(int rank) {
  const auto at = static_cast<std::size_t>(rank);
  return trace_.ranks[at].streams[stream_[at]];
}

Trace MadeTrace::take() {
  for (std::size_t rank = 0; rank < clock_.size(); ++rank) {
    on_thread(static_cast<int>(rank), 0);
    trace_.ranks[rank].end = clock_[rank];
  }
  match(trace_);
  return std::exchange(trace_, {});
}

}  // namespace plait::trace
