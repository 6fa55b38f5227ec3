// SPDX-License-Identifier: BSD-3-Clause
// A trace as a program: the steps of its main threads, created on demand.
#include <algorithm>
#include <limits>
#include <utility>

#include "replay/program.hpp"
#include "replay/trace_collectives.hpp"

namespace plait::replay {
namespace {

using std::uint32_t;
using trace::EventKind;
using trace::kNone;
using trace::Operation;
using trace::OperationKind;

class TraceProgram final : public Program {
public:
  TraceProgram(const trace::Trace& trace, const TraceProgramOptions& options)
      : trace_(trace),
        collectives_(trace),
        nodes_(options.nodes),
        subtract_overhead_(options.subtract_overhead),
        cursors_(trace.ranks.size()) {
    count_ranks_of_nodes();
    if (options.left_out != nullptr) *options.left_out = left_out();
    rewind();
  }

  uint32_t ranks() const override { return static_cast<uint32_t>(trace_.ranks.size()); }
  uint32_t node_of(uint32_t rank) const override {
    return nodes_.empty() ? trace_.ranks[rank].node : nodes_[rank];
  }
  double start_s(uint32_t rank) const override {
    return static_cast<double>(begin_of(trace_.ranks[rank])) * 1e-9;
  }
  uint32_t compute_shared_by(uint32_t rank) const override {
    return nodes_.empty() ? 0 : ranks_of_node_[trace_.ranks[rank].node];
  }
  std::size_t events(uint32_t rank) const override {
    const auto& streams = trace_.ranks[rank].streams;
    return streams.empty() ? 0 : streams.front().events.size();
  }
  CollectiveStep collective(uint32_t index) const override { return collectives_.step(index); }
  Step next(uint32_t rank) override;
  void rewind() override;

private:
  struct Cursor {
    std::size_t event = 0;
    std::int64_t done_ns = 0;  ///< end of the previous event
    bool polling = false;
    bool ended = false;
    std::size_t cpu_wait = 0;       ///< the next one of the stream
    std::int64_t stalled_ns = 0;    ///< without a CPU, between the previous event and the current
    std::int64_t stalled_call = 0;  ///< in the current event
    std::vector<Step> steps;        ///< pending, the next one last
    std::vector<uint32_t> request_of;  ///< by operation
    std::vector<uint32_t> free_requests;
    uint32_t requests = 0;
  };

  std::int64_t begin_of(const trace::Rank& rank) const {
    return rank.streams.empty() ? earliest_ns_ : rank.begin;
  }
  void count_ranks_of_nodes();
  [[nodiscard]] bool has_partner(const Operation& operation) const;
  [[nodiscard]] bool replayable(const Operation& operation) const;
  [[nodiscard]] LeftOut left_out() const;
  void take_event(uint32_t rank, Cursor& cursor);
  void take_operations(uint32_t rank, Cursor& cursor, uint32_t event);
  void start(uint32_t rank, Cursor& cursor, uint32_t operation, bool blocking, bool alone);
  [[nodiscard]] double computation(const trace::Rank& rank, const Cursor& cursor,
                                   std::int64_t gap_ns) const;
  static void compute(Cursor& cursor, double work_ns);
  static void take_cpu_waits(const trace::Rank& rank, Cursor& cursor, std::int64_t until);
  void wait(Cursor& cursor, uint32_t operation, uint32_t event) const;

  const trace::Trace& trace_;
  TraceCollectives collectives_;
  std::vector<uint32_t> nodes_;
  bool subtract_overhead_;
  std::vector<Cursor> cursors_;
  std::vector<uint32_t> ranks_of_node_;  ///< as recorded
  std::int64_t earliest_ns_ = 0;
};

void TraceProgram::count_ranks_of_nodes() {
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const trace::Rank& rank : trace_.ranks) {
    if (rank.node >= ranks_of_node_.size()) ranks_of_node_.resize(rank.node + 1);
    ++ranks_of_node_[rank.node];
    if (!rank.streams.empty()) earliest = std::min(earliest, rank.begin);
  }
  if (earliest != std::numeric_limits<std::int64_t>::max()) earliest_ns_ = earliest;
}

bool TraceProgram::has_partner(const Operation& operation) const {
  return operation.message != kNone;
}

bool TraceProgram::replayable(const Operation& operation) const {
  if (operation.message == kNone || operation.stream != 0) return false;
  if (operation.kind == OperationKind::collective) {
    return collectives_.replayable(operation.message);
  }
  const trace::Message& message = trace_.messages[operation.message];
  return trace_.ranks[message.sender].operations[message.send].stream == 0 &&
         trace_.ranks[message.receiver].operations[message.receive].stream == 0;
}

LeftOut TraceProgram::left_out() const {
  LeftOut count;
  for (const trace::Rank& rank : trace_.ranks) {
    for (const Operation& operation : rank.operations) {
      if (!has_partner(operation)) {
        // A message to MPI_PROC_NULL has no partner.
        if (operation.partner >= 0) ++count.without_partner;
      } else if (operation.kind != OperationKind::collective && !replayable(operation)) {
        ++count.other_threads;
      }
    }
    if (rank.streams.empty()) continue;
    for (const trace::Event& event : rank.streams.front().events) {
      const EventKind kind = trace_.shape(event).kind;
      const auto started = rank.started_by(event);
      const bool neighbours = std::any_of(started.begin(), started.end(), [&](const auto& of) {
        return of.kind == OperationKind::collective && !replayable(of);
      });
      if (kind == EventKind::one_sided || neighbours) ++count.as_recorded;
    }
  }
  return count;
}

void TraceProgram::rewind() {
  for (uint32_t rank = 0; rank < ranks(); ++rank) {
    Cursor& cursor = cursors_[rank];
    cursor = Cursor{};
    cursor.done_ns = begin_of(trace_.ranks[rank]);
    cursor.request_of.assign(trace_.ranks[rank].operations.size(), kNone);
  }
}

Step TraceProgram::next(uint32_t rank) {
  Cursor& cursor = cursors_[rank];
  while (cursor.steps.empty() && !cursor.ended) {
    if (cursor.event < events(rank)) {
      take_event(rank, cursor);
      std::reverse(cursor.steps.begin(), cursor.steps.end());
    } else {
      const trace::Rank& of = trace_.ranks[rank];
      take_cpu_waits(of, cursor, std::numeric_limits<std::int64_t>::max());
      compute(cursor, computation(of, cursor, of.end - cursor.done_ns));
      cursor.ended = true;
    }
  }
  if (cursor.steps.empty()) return Step{};
  const Step step = cursor.steps.back();
  cursor.steps.pop_back();
  return step;
}

/// Nanoseconds of the program's own work in a gap between two calls.
double TraceProgram::computation(const trace::Rank& rank, const Cursor& cursor,
                                 std::int64_t gap_ns) const {
  const auto work_ns = static_cast<double>(gap_ns - cursor.stalled_ns);
  return subtract_overhead_ ? work_ns - rank.overhead_ns_per_event : work_ns;
}

void TraceProgram::compute(Cursor& cursor, double work_ns) {
  if (work_ns <= 0) return;
  Step step;
  step.kind = StepKind::compute;
  step.seconds = work_ns * 1e-9;
  cursor.steps.push_back(step);
}

/// Waiting for a CPU is not part of the program, so the replay leaves it out.
void TraceProgram::take_cpu_waits(const trace::Rank& rank, Cursor& cursor, std::int64_t until) {
  cursor.stalled_ns = cursor.stalled_call = 0;
  if (rank.streams.empty()) return;
  const std::vector<trace::CpuWait>& waits = rank.streams.front().cpu_waits;
  for (; cursor.cpu_wait < waits.size() && waits[cursor.cpu_wait].at <= until; ++cursor.cpu_wait) {
    const trace::CpuWait& wait = waits[cursor.cpu_wait];
    cursor.stalled_ns += wait.before_ns;
    cursor.stalled_call = wait.at == until ? wait.inside_ns : 0;
  }
}

void TraceProgram::take_event(uint32_t rank, Cursor& cursor) {
  const trace::Rank& of = trace_.ranks[rank];
  const auto number = static_cast<uint32_t>(cursor.event++);
  const trace::Event& event = of.streams.front().events[number];
  const trace::Shape& shape = trace_.shape(event);
  const EventKind kind = shape.kind;
  if (kind == EventKind::parallel || kind == EventKind::work || kind == EventKind::region) return;
  // Recorded calls of MPI_Init and MPI_Finalize are not replayed.
  if (event.end <= begin_of(of) && event.begin < begin_of(of)) return;
  if (of.complete && event.begin >= of.end && event.end > of.end) return;

  take_cpu_waits(of, cursor, event.begin);
  const double work_ns = computation(of, cursor, event.begin - cursor.done_ns);
  const bool polls =
      kind == EventKind::poll || kind == EventKind::probe || (shape.flags & PLAIT_SHAPE_TEST) != 0;
  const bool same_loop = cursor.polling && polls && work_ns < kPollingGapNs;
  if (!same_loop) compute(cursor, work_ns);
  cursor.done_ns = std::max(cursor.done_ns, event.end);
  cursor.polling = kind == EventKind::poll;

  const std::size_t before = cursor.steps.size();
  take_operations(rank, cursor, number);
  if (cursor.steps.size() > before || (cursor.polling && same_loop)) return;
  Step call;
  call.kind = StepKind::call;
  call.event = number;
  const bool looks_only = kind == EventKind::poll || kind == EventKind::probe;
  if (!looks_only) {
    const std::int64_t length = event.end - event.begin - cursor.stalled_call;
    call.seconds = static_cast<double>(std::max<std::int64_t>(0, length)) * 1e-9;
  }
  cursor.steps.push_back(call);
}

void TraceProgram::take_operations(uint32_t rank, Cursor& cursor, uint32_t number) {
  const trace::Rank& of = trace_.ranks[rank];
  const trace::Event& event = of.streams.front().events[number];
  const auto started = of.started_by(event);
  const auto ends_here = [&](const Operation& operation) {
    return operation.ended == number && operation.end_stream == 0 && !operation.freed;
  };
  // Both halves of a Sendrecv are posted before either is waited for, the receive first.
  const bool alone = started.size() == 1;
  for (const OperationKind kind :
       {OperationKind::receive, OperationKind::send, OperationKind::collective}) {
    for (uint32_t at = 0; at < started.size(); ++at) {
      const Operation& operation = started[at];
      if (operation.kind != kind || !replayable(operation)) continue;
      start(rank, cursor, event.first_operation + at, ends_here(operation), alone);
    }
  }
  if (!alone) {
    for (uint32_t at = 0; at < started.size(); ++at) {
      if (ends_here(started[at])) wait(cursor, event.first_operation + at, number);
    }
  }
  for (const uint32_t operation : of.completed_by(event)) wait(cursor, operation, number);
}

void TraceProgram::start(uint32_t rank, Cursor& cursor, uint32_t number, bool blocking,
                         bool alone) {
  const Operation& operation = trace_.ranks[rank].operations[number];
  Step step;
  step.event = operation.started;
  if (!blocking || !alone) {
    step.request = kNoRequest;
    const bool waited_for =
        operation.ended != kNone && operation.end_stream == 0 && !operation.freed;
    if (waited_for) {
      if (cursor.free_requests.empty()) cursor.free_requests.push_back(cursor.requests++);
      step.request = cursor.free_requests.back();
      cursor.free_requests.pop_back();
      cursor.request_of[number] = step.request;
    }
  }
  const bool at_once = blocking && alone;
  if (operation.kind == OperationKind::collective) {
    step.kind = at_once ? StepKind::collective : StepKind::icollective;
    step.collective = operation.message;
    step.partner = collectives_.member(operation.message, rank);
    step.bytes = operation.bytes;
  } else {
    const trace::Message& message = trace_.messages[operation.message];
    // Each message has its own tag, which preserves the recorded match.
    step.tag = operation.message;
    if (operation.kind == OperationKind::send) {
      const uint32_t flags = trace_.shapes[operation.shape].flags;
      step.kind = at_once ? StepKind::send : StepKind::isend;
      step.partner = message.receiver;
      step.bytes = operation.bytes;
      step.synchronous = (flags & PLAIT_SHAPE_SYNCHRONOUS) != 0;
      step.buffered = (flags & PLAIT_SHAPE_BUFFERED) != 0;
    } else {
      step.kind = at_once ? StepKind::receive : StepKind::ireceive;
      step.partner = message.sender;
      step.bytes = trace_.ranks[message.sender].operations[message.send].bytes;
    }
  }
  cursor.steps.push_back(step);
}

void TraceProgram::wait(Cursor& cursor, uint32_t operation, uint32_t event) const {
  const uint32_t request = std::exchange(cursor.request_of[operation], kNone);
  if (request == kNone) return;
  cursor.free_requests.push_back(request);
  Step step;
  step.kind = StepKind::wait;
  step.request = request;
  step.event = event;
  cursor.steps.push_back(step);
}

}  // namespace

std::unique_ptr<Program> program_of(const trace::Trace& trace, const TraceProgramOptions& options) {
  return std::make_unique<TraceProgram>(trace, options);
}

std::unique_ptr<Program> program_of(const trace::Trace& trace, std::vector<uint32_t> nodes) {
  TraceProgramOptions options;
  options.nodes = std::move(nodes);
  return std::make_unique<TraceProgram>(trace, options);
}

}  // namespace plait::replay
