// SPDX-License-Identifier: BSD-3-Clause
// A trace as a program: the steps of its threads, created on demand.
#include <algorithm>
#include <deque>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/combine.hpp"
#include "replay/program.hpp"
#include "replay/trace_collectives.hpp"

namespace plait::replay {
namespace {

using std::uint32_t;
using trace::EventKind;
using trace::kNone;
using trace::Operation;
using trace::OperationKind;

/// True if the thread that started the operation completes it.
bool is_waited_for(const Operation& operation) {
  return operation.ended != kNone && operation.end_stream == operation.stream && !operation.freed;
}

/// Identifies a message, in all parts of a trace.
std::uint64_t key_of(const trace::Message& message) {
  return (std::uint64_t{message.sender} << 32) | message.send;
}

/// The requests of a rank's operations that have started and not ended.
class OpenRequests {
public:
  void add(uint32_t operation, uint32_t request) {
    if (open_.empty()) first_ = operation;
    // Threads take turns, so that an operation may start behind a later one of another thread.
    for (; operation < first_; --first_) open_.push_front(kNone);
    if (operation - first_ >= open_.size())
      open_.resize(operation - first_ + std::size_t{1}, kNone);
    open_[operation - first_] = request;
  }

  /// @returns the request of an operation, which is then no longer open; kNone: it is not
  uint32_t take(uint32_t operation) {
    if (operation < first_ || operation - first_ >= open_.size()) return kNone;
    const uint32_t request = std::exchange(open_[operation - first_], kNone);
    for (; !open_.empty() && open_.front() == kNone; ++first_) open_.pop_front();
    return request;
  }

private:
  std::deque<uint32_t> open_;  ///< from operation `first_` on; kNone: it has none
  uint32_t first_ = 0;
};

class TraceProgram final : public Program {
public:
  TraceProgram(const trace::Trace& trace, const TraceProgramOptions& options)
      : trace_(trace),
        threads_(trace, options.other_threads, options.processes),
        collectives_(trace, threads_, options.processes),
        nodes_(options.nodes),
        tags_(options.tags),
        subtract_overhead_(options.subtract_overhead),
        cursors_(threads_.size()),
        requests_(trace.ranks.size()) {
    count_ranks_of_nodes();
    Processes* const others = trace.is_part ? options.processes : nullptr;
    if (others != nullptr) exchange_streams(*others);
    if (options.left_out != nullptr) *options.left_out = left_out(others);
    rewind();
  }

  uint32_t ranks() const override { return static_cast<uint32_t>(trace_.ranks.size()); }
  uint32_t threads() const override { return threads_.size(); }
  uint32_t rank_of(uint32_t thread) const override { return threads_.rank(thread); }
  uint32_t node_of(uint32_t thread) const override {
    const uint32_t rank = rank_of(thread);
    return nodes_.empty() ? trace_.ranks[rank].node : nodes_[rank];
  }
  double start_s(uint32_t thread) const override {
    return static_cast<double>(begin_of(of(thread))) * 1e-9;
  }
  uint32_t compute_shared_by(uint32_t thread) const override {
    const bool is_main = thread < ranks();
    return nodes_.empty() || !is_main ? 0 : ranks_of_node_[trace_.ranks[thread].node];
  }
  std::size_t events(uint32_t thread) const override {
    return of(thread).streams.empty() ? 0 : stream(thread).events.size();
  }
  CollectiveStep collective(uint32_t index) const override { return collectives_.step(index); }
  Step next(uint32_t thread) override;
  void rewind() override;
  bool steps_at_once() const override { return true; }
  bool is_part() const override { return trace_.is_part; }

private:
  struct Cursor {
    std::size_t event = 0;
    std::int64_t done_ns = 0;  ///< end of the previous event
    bool polling = false;
    std::int64_t polling_since = 0;
    bool ended = false;
    std::size_t cpu_wait = 0;       ///< the next one of the stream
    std::int64_t stalled_ns = 0;    ///< without a CPU, between the previous event and the current
    std::int64_t stalled_call = 0;  ///< in the current event
    std::size_t team_step = 0;      ///< the next one of the thread
    std::vector<Step> steps;        ///< pending, the next one last
    /// By neighbourhood collective that has begun: the requests of its messages.
    std::unordered_map<uint32_t, std::vector<uint32_t>> neighbor_requests;
    std::vector<uint32_t> free_requests;
    uint32_t requests = 0;
  };

  /// The side of a message that is not the operation's.
  struct OtherSide {
    uint32_t rank = 0;
    uint32_t operation = 0;
  };

  std::int64_t begin_of(const trace::Rank& rank) const {
    return rank.streams.empty() ? earliest_ns_ : rank.begin;
  }
  [[nodiscard]] const trace::Rank& of(uint32_t thread) const {
    return trace_.ranks[threads_.rank(thread)];
  }
  [[nodiscard]] const trace::Stream& stream(uint32_t thread) const {
    return of(thread).streams[threads_.stream(thread)];
  }
  void count_ranks_of_nodes();
  void exchange_streams(Processes& processes);
  [[nodiscard]] OtherSide other_side(const Operation& operation) const;
  [[nodiscard]] bool replayable(uint32_t rank, const Operation& operation) const;
  [[nodiscard]] bool is_between_mains(uint32_t rank, const Operation& operation) const;
  [[nodiscard]] uint32_t partner_of(uint32_t rank, const Operation& operation) const;
  [[nodiscard]] uint32_t tag_of(const Operation& operation) const;
  [[nodiscard]] LeftOut left_out(Processes* processes) const;
  void take_event(uint32_t thread, Cursor& cursor);
  void take_team_steps(uint32_t thread, Cursor& cursor, std::int64_t until) const;
  void take_operations(uint32_t thread, Cursor& cursor, uint32_t event);
  void start(uint32_t thread, Cursor& cursor, uint32_t operation, bool blocking, bool alone);
  void start_with_neighbors(uint32_t thread, Cursor& cursor, uint32_t operation);
  static uint32_t take_request(Cursor& cursor);
  [[nodiscard]] bool is_among_neighbors(const Operation& operation) const;
  [[nodiscard]] double computation(const trace::Rank& rank, const Cursor& cursor,
                                   std::int64_t gap_ns) const;
  static void compute(Cursor& cursor, double work_ns);
  void take_cpu_waits(uint32_t thread, Cursor& cursor, std::int64_t until) const;
  void wait(uint32_t thread, Cursor& cursor, uint32_t operation, uint32_t event);

  const trace::Trace& trace_;
  TraceThreads threads_;
  TraceCollectives collectives_;
  std::vector<uint32_t> nodes_;
  const std::vector<uint32_t>* tags_;
  bool subtract_overhead_;
  std::vector<Cursor> cursors_;
  std::vector<OpenRequests> requests_;  ///< by rank
  /// Of messages with a side in another part, the stream of this side, by key_of(). Only of
  /// messages that are not between main threads.
  std::unordered_map<std::uint64_t, uint32_t> streams_elsewhere_;
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

bool TraceProgram::replayable(uint32_t rank, const Operation& operation) const {
  if (operation.message == kNone || threads_.thread(rank, operation.stream) == kNone) return false;
  if (operation.kind == OperationKind::collective) {
    return collectives_.replayable(operation.message) || is_among_neighbors(operation);
  }
  return partner_of(rank, operation) != kNone;
}

/// True of a message between ranks whose main threads make all calls: the operation says all that
/// there is to know about it. Others are looked up, which takes longer.
bool TraceProgram::is_between_mains(uint32_t rank, const Operation& operation) const {
  return threads_.is_only_main(rank) &&
         threads_.is_only_main(static_cast<uint32_t>(operation.partner));
}

bool TraceProgram::is_among_neighbors(const Operation& operation) const {
  return operation.kind == OperationKind::collective && operation.message != kNone &&
         collectives_.is_among_neighbors(operation.message);
}

/// Of all ranks: each process counts those of its own. Collective if there are processes.
LeftOut TraceProgram::left_out(Processes* processes) const {
  LeftOut count;
  for (uint32_t rank = 0; rank < ranks(); ++rank) {
    for (const Operation& operation : trace_.ranks[rank].operations) {
      if (operation.message == kNone) {
        // A message to MPI_PROC_NULL has no partner.
        if (operation.partner >= 0) ++count.without_partner;
      } else if (operation.kind != OperationKind::collective && !replayable(rank, operation)) {
        ++count.other_threads;
      }
    }
  }
  for (uint32_t thread = 0; thread < threads(); ++thread) {
    if (of(thread).streams.empty()) continue;
    for (const trace::Event& event : stream(thread).events) {
      const auto started = of(thread).started_by(event);
      const bool neighbours = std::any_of(started.begin(), started.end(), [&](const auto& one) {
        return one.kind == OperationKind::collective && !replayable(rank_of(thread), one);
      });
      if (trace_.shape(event).kind == EventKind::one_sided || neighbours) ++count.as_recorded;
    }
  }
  std::vector<LeftOut> counts{count};
  combine(processes, counts, [](const LeftOut& some, LeftOut& sum) {
    sum.without_partner += some.without_partner;
    sum.other_threads += some.other_threads;
    sum.as_recorded += some.as_recorded;
  });
  return counts.front();
}

void TraceProgram::rewind() {
  for (OpenRequests& of : requests_) of = OpenRequests();
  for (uint32_t thread = 0; thread < threads(); ++thread) {
    cursors_[thread] = Cursor{};
    cursors_[thread].done_ns = begin_of(of(thread));
  }
}

Step TraceProgram::next(uint32_t thread) {
  Cursor& cursor = cursors_[thread];
  while (cursor.steps.empty() && !cursor.ended) {
    if (cursor.event < events(thread)) {
      take_event(thread, cursor);
    } else {
      constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
      take_cpu_waits(thread, cursor, kEnd);
      take_team_steps(thread, cursor, kEnd);
      // What other threads do behind their last call is not known.
      const bool is_main = thread < ranks();
      if (is_main) {
        compute(cursor, computation(of(thread), cursor, of(thread).end - cursor.done_ns));
      }
      cursor.ended = true;
    }
    std::reverse(cursor.steps.begin(), cursor.steps.end());
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
void TraceProgram::take_cpu_waits(uint32_t thread, Cursor& cursor, std::int64_t until) const {
  cursor.stalled_ns = cursor.stalled_call = 0;
  if (of(thread).streams.empty()) return;
  const std::vector<trace::CpuWait>& waits = stream(thread).cpu_waits;
  for (; cursor.cpu_wait < waits.size() && waits[cursor.cpu_wait].at <= until; ++cursor.cpu_wait) {
    const trace::CpuWait& wait = waits[cursor.cpu_wait];
    cursor.stalled_ns += wait.before_ns;
    cursor.stalled_call = wait.at == until ? wait.inside_ns : 0;
  }
}

/// The begins and ends of the thread's parts in OpenMP regions until a time.
void TraceProgram::take_team_steps(uint32_t thread, Cursor& cursor, std::int64_t until) const {
  const std::vector<TeamStep>& steps = threads_.team_steps(thread);
  for (; cursor.team_step < steps.size() && steps[cursor.team_step].at <= until;
       ++cursor.team_step) {
    const TeamStep& team = steps[cursor.team_step];
    const std::int64_t before = std::max<std::int64_t>(0, team.at - cursor.done_ns);
    if (!team.idle_before) {
      const std::int64_t stalled = std::min(before, cursor.stalled_ns);
      cursor.stalled_ns -= stalled;
      compute(cursor, static_cast<double>(before - stalled));
    }
    cursor.done_ns = std::max(cursor.done_ns, team.resume);
    for (const uint32_t partner : team.partners) {
      Step step;
      step.kind = team.signals ? StepKind::signal : StepKind::await;
      step.partner = partner;
      step.tag = team.tag;
      cursor.steps.push_back(step);
    }
  }
}

void TraceProgram::take_event(uint32_t thread, Cursor& cursor) {
  const trace::Rank& rank = of(thread);
  const auto number = static_cast<uint32_t>(cursor.event++);
  const trace::Event& event = stream(thread).events[number];
  const trace::Shape& shape = trace_.shape(event);
  const EventKind kind = shape.kind;
  if (kind == EventKind::parallel || kind == EventKind::work || kind == EventKind::region) return;
  // Recorded calls of MPI_Init and MPI_Finalize are not replayed.
  if (event.end <= begin_of(rank) && event.begin < begin_of(rank)) return;
  if (rank.complete && event.begin >= rank.end && event.end > rank.end) return;

  take_cpu_waits(thread, cursor, event.begin);
  take_team_steps(thread, cursor, event.begin);
  const double work_ns = computation(rank, cursor, event.begin - cursor.done_ns);
  const bool polls =
      kind == EventKind::poll || kind == EventKind::probe || (shape.flags & PLAIT_SHAPE_TEST) != 0;
  const bool same_loop = cursor.polling && polls &&
                         is_one_polling_loop(work_ns, cursor.done_ns - cursor.polling_since);
  if (!same_loop) {
    compute(cursor, work_ns);
    cursor.polling_since = event.begin;
  }
  cursor.done_ns = std::max(cursor.done_ns, event.end);
  cursor.polling = kind == EventKind::poll;

  const std::size_t before = cursor.steps.size();
  take_operations(thread, cursor, number);
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

void TraceProgram::take_operations(uint32_t thread, Cursor& cursor, uint32_t number) {
  const trace::Rank& rank = of(thread);
  const trace::Event& event = stream(thread).events[number];
  const auto started = rank.started_by(event);
  const auto ends_here = [&](const Operation& operation) {
    return operation.ended == number && operation.end_stream == threads_.stream(thread) &&
           !operation.freed;
  };
  // Both halves of a Sendrecv are posted before either is waited for, the receive first.
  const bool alone = started.size() == 1;
  for (const OperationKind kind :
       {OperationKind::receive, OperationKind::send, OperationKind::collective}) {
    for (uint32_t at = 0; at < started.size(); ++at) {
      const Operation& operation = started[at];
      if (operation.kind != kind || !replayable(rank_of(thread), operation)) continue;
      start(thread, cursor, event.first_operation + at, ends_here(operation), alone);
    }
  }
  // A step of one message or collective waits itself.
  if (!alone || is_among_neighbors(started.front())) {
    for (uint32_t at = 0; at < started.size(); ++at) {
      if (ends_here(started[at])) wait(thread, cursor, event.first_operation + at, number);
    }
  }
  for (const uint32_t operation : rank.completed_by(event)) wait(thread, cursor, operation, number);
}

void TraceProgram::start(uint32_t thread, Cursor& cursor, uint32_t number, bool blocking,
                         bool alone) {
  const Operation& operation = of(thread).operations[number];
  if (is_among_neighbors(operation)) {
    start_with_neighbors(thread, cursor, number);
    return;
  }
  Step step;
  step.event = operation.started;
  if (!blocking || !alone) {
    step.request = kNoRequest;
    if (is_waited_for(operation)) {
      step.request = take_request(cursor);
      requests_[rank_of(thread)].add(number, step.request);
    }
  }
  const bool at_once = blocking && alone;
  if (operation.kind == OperationKind::collective) {
    step.kind = at_once ? StepKind::collective : StepKind::icollective;
    step.collective = operation.message;
    step.partner = collectives_.member(operation.message, thread);
    step.bytes = operation.bytes;
  } else {
    step.tag = tag_of(operation);
    step.partner = partner_of(rank_of(thread), operation);
    step.bytes = operation.bytes;
    if (operation.kind == OperationKind::send) {
      const uint32_t flags = trace_.shapes[operation.shape].flags;
      step.kind = at_once ? StepKind::send : StepKind::isend;
      step.synchronous = (flags & PLAIT_SHAPE_SYNCHRONOUS) != 0;
      step.buffered = (flags & PLAIT_SHAPE_BUFFERED) != 0;
    } else {
      step.kind = at_once ? StepKind::receive : StepKind::ireceive;
    }
  }
  cursor.steps.push_back(step);
}

/// The thread on the other side of a message.
uint32_t TraceProgram::partner_of(uint32_t rank, const Operation& operation) const {
  if (is_between_mains(rank, operation)) return static_cast<uint32_t>(operation.partner);
  const OtherSide other = other_side(operation);
  return threads_.thread(other.rank,
                         threads_.is_here(other.rank)
                             ? trace_.ranks[other.rank].operations[other.operation].stream
                             : streams_elsewhere_.at(key_of(trace_.messages[operation.message])));
}

TraceProgram::OtherSide TraceProgram::other_side(const Operation& operation) const {
  const trace::Message& message = trace_.messages[operation.message];
  return operation.kind == OperationKind::send ? OtherSide{message.receiver, message.receive}
                                               : OtherSide{message.sender, message.send};
}

/// Each message between two threads has its own tag, which preserves the recorded match. The parts
/// of a trace number messages differently, but agree about the sender's operations.
uint32_t TraceProgram::tag_of(const Operation& operation) const {
  if (tags_ != nullptr && !tags_->empty()) return (*tags_)[operation.message];
  return trace_.is_part ? trace_.messages[operation.message].send : operation.message;
}

/// Collective. Exchanges the streams of messages between parts of which a thread other than a main
/// one may be a side.
void TraceProgram::exchange_streams(Processes& processes) {
  struct Side {
    std::uint64_t message = 0;  ///< key_of()
    uint32_t stream = 0;
  };
  std::vector<std::vector<Side>> to(trace_.shares.size());
  for (uint32_t rank = 0; rank < ranks(); ++rank) {
    for (const Operation& operation : trace_.ranks[rank].operations) {
      if (operation.kind == OperationKind::collective || operation.message == kNone) continue;
      const uint32_t other = other_side(operation).rank;
      if (threads_.is_here(other) || is_between_mains(rank, operation)) continue;
      to[range_of(trace_.shares, other)].push_back(
          {key_of(trace_.messages[operation.message]), operation.stream});
    }
  }
  for (const Side& side : joined(swap_lists(processes, to))) {
    streams_elsewhere_.emplace(side.message, side.stream);
  }
}

/// Replays a neighbourhood collective as a message to each neighbour.
void TraceProgram::start_with_neighbors(uint32_t thread, Cursor& cursor, uint32_t number) {
  const Operation& operation = of(thread).operations[number];
  std::vector<uint32_t> requests;
  const auto add = [&](StepKind kind, const Neighbor& with) {
    Step step;
    step.event = operation.started;
    step.kind = kind;
    step.partner = with.thread;
    step.bytes = with.bytes;
    // Behind the tags of messages. Several from one rank to another match in their order.
    step.tag = static_cast<uint32_t>(trace_.messages.size()) + operation.message;
    step.request = is_waited_for(operation) ? take_request(cursor) : kNoRequest;
    if (step.request != kNoRequest) requests.push_back(step.request);
    cursor.steps.push_back(step);
  };
  for (const Neighbor& source : collectives_.sources(operation.message, rank_of(thread))) {
    add(StepKind::ireceive, source);
  }
  for (const Neighbor& target : collectives_.targets(operation.message, rank_of(thread))) {
    add(StepKind::isend, target);
  }
  if (!requests.empty()) cursor.neighbor_requests.emplace(number, std::move(requests));
}

uint32_t TraceProgram::take_request(Cursor& cursor) {
  if (cursor.free_requests.empty()) cursor.free_requests.push_back(cursor.requests++);
  const uint32_t request = cursor.free_requests.back();
  cursor.free_requests.pop_back();
  return request;
}

void TraceProgram::wait(uint32_t thread, Cursor& cursor, uint32_t operation, uint32_t event) {
  const auto add = [&](uint32_t request) {
    cursor.free_requests.push_back(request);
    Step step;
    step.kind = StepKind::wait;
    step.request = request;
    step.event = event;
    cursor.steps.push_back(step);
  };
  const auto with_neighbors = cursor.neighbor_requests.find(operation);
  if (with_neighbors != cursor.neighbor_requests.end()) {
    for (const uint32_t request : with_neighbors->second) add(request);
    cursor.neighbor_requests.erase(with_neighbors);
  }
  const uint32_t request = requests_[rank_of(thread)].take(operation);
  if (request != kNone) add(request);
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
