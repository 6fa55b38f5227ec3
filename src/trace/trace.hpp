// SPDX-License-Identifier: BSD-3-Clause
// A trace in memory: the events of all ranks on one clock, with messages and collectives matched.
//
// Times are nanoseconds from the begin of the trace (the first event or end of MPI_Init) on the
// clock of rank 0's host. Indices are 32 bit; kNone stands for "no such thing". Everything is plain
// data: readers fill it, match() completes it, nothing changes it afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event_format.h"
#include "trace/rank_record.hpp"

namespace plait::trace {

inline constexpr std::uint32_t kNone = ~0U;

enum class EventKind : std::uint8_t {
  kOther,        ///< an MPI call that moves nothing
  kSend,         ///< blocking
  kReceive,      ///< blocking, matched receives (Mrecv) too
  kSendReceive,  ///< Sendrecv
  kStart,        ///< Isend, Irecv, Start, Imrecv, Icollective: ends before its operations do
  kComplete,     ///< Wait*, Test* that completed something, Request_free
  kPoll,         ///< Test*, Iprobe that found nothing; calls that follow each other are one event
  kProbe,        ///< Probe, Iprobe that found something; Mprobe, which starts the receive of the
                 ///< message it found: kReceive (Mrecv) or a completion ends it
  kCollective,   ///< blocking
  kOneSided,
  kParallel,  ///< an OpenMP region (of its starting thread)
  kWork,      ///< one thread's part in an OpenMP region
  kRegion     ///< a user region; may hold other events
};

/// "send", "receive", ...: one word, for machines.
std::string_view kind_word(EventKind kind);

/// What equal events share; see plait_shape. Indices are the trace's, over all processes.
struct Shape {
  EventKind kind = EventKind::kOther;
  std::uint32_t flags = 0;         ///< plait_shape_flag
  std::uint32_t function = kNone;  ///< Trace::functions
  std::uint32_t site = kNone;      ///< Trace::sites; of kParallel and kRegion: Trace::regions
  std::uint32_t comm = kNone;      ///< Trace::comms
  int peer = PLAIT_NO_PEER;        ///< rank in the communicator's peer group, or PLAIT_*_PEER
  int tag = PLAIT_ANY_TAG;
  std::uint32_t operation = 0;  ///< of reductions: plait_operation
  std::uint64_t extra = 0;      ///< see plait_shape
  std::uint64_t elements = 0;

  bool operator==(const Shape&) const = default;
};

/// In Event's counts: this many or more; those of Rank::ended then have kNone behind them.
inline constexpr std::uint16_t kMany = 0xffff;

struct Event {
  std::int64_t begin = 0, end = 0;        ///< ns
  std::uint64_t bytes = 0;                ///< sent; of a receive: what came, of Irecv: room;
                                          ///< kPoll: calls; kParallel, kWork: idle thread-ns
  std::uint32_t shape = 0;                ///< Trace::shapes
  std::uint32_t first_operation = kNone;  ///< of those it started (consecutive in Rank::operations)
  std::uint32_t first_ended = kNone;      ///< of those it completed: into Rank::ended
  std::uint16_t operations = 0;           ///< started; see Rank::started_by
  std::uint16_t ended_count = 0;          ///< requests completed; see Rank::completed_by
};

enum class OperationKind : std::uint8_t { kSend, kReceive, kCollective };

/// A communication that a rank started: a send, a receive, or its part in a collective; blocking
/// ones too (they start and end in the same event).
struct Operation {
  std::uint64_t bytes = 0;     ///< sent; of a receive: what came, once matched
  std::uint64_t capacity = 0;  ///< receive: room; collective: bytes received
  std::uint32_t shape = 0;     ///< of the starting call, or as a persistent request was made
  std::uint32_t stream = 0, started = kNone, ended = kNone;  ///< events; `ended` of end_stream
  std::uint32_t end_stream = 0;
  std::uint32_t message = kNone;  ///< Trace::messages, or Trace::collectives
  int partner = -1;               ///< world rank; -1: none, unknown. Of a wildcard receive as its
                                  ///< status named it; match() finds the others'
  int tag = 0;                    ///< the actual one
  OperationKind kind = OperationKind::kSend;
  bool wildcard = false, cancelled = false, freed = false;
};

/// A message from its send to its receive.
struct Message {
  std::uint32_t sender = 0, receiver = 0;  ///< ranks
  std::uint32_t send = 0, receive = 0;     ///< their operations
};

/// One collective call of a communicator: every member's operation.
struct Collective {
  std::uint32_t comm = 0;
  std::uint32_t ordinal = 0;       ///< n-th of its communicator
  std::uint32_t first_member = 0;  ///< Trace::members: an operation for each of Comm::members, then
                                   ///< of Comm::remote_members; kNone: not seen
  std::uint32_t shape = 0;         ///< of the first member seen
  bool consistent = true;          ///< same function and root everywhere
};

/// The events of one thread in the order in which they end. Those that may hold others (kParallel,
/// kWork, kRegion) follow what they hold; of the others the begins ascend, too.
struct Stream {
  int tid = 0;
  int omp_thread = -1;
  std::vector<Event> events;
};

struct Rank {
  int world_rank = 0;
  std::string host;
  std::uint32_t node = 0;             ///< index into Trace::nodes
  std::int64_t begin = 0, end = 0;    ///< end of Init, begin of Finalize (or the last event)
  bool complete = true;               ///< Finalize was reached
  std::vector<Stream> streams;        ///< the first one is the main thread's (that called Init)
  std::vector<Operation> operations;  ///< in the order in which they started, per stream
  std::vector<std::uint32_t> ended;   ///< operations, see completed_by()
  std::uint64_t lost_events = 0, overwritten_events = 0;
  double overhead_ns_per_event = 0;

  /// The operations that an event started, blocking ones too (which it also ended).
  [[nodiscard]] std::span<const Operation> started_by(const Event& event) const {
    return event.operations == 0
               ? std::span<const Operation>()
               : std::span(operations).subspan(event.first_operation, count_started(event));
  }

  /// The operations (indices) of earlier events that an event completed.
  [[nodiscard]] std::span<const std::uint32_t> completed_by(const Event& event) const {
    return event.ended_count == 0
               ? std::span<const std::uint32_t>()
               : std::span(ended).subspan(event.first_ended, count_completed(event));
  }

private:
  [[nodiscard]] std::size_t count_started(const Event& event) const {
    if (event.operations != kMany) {
      return event.operations;
    }
    std::size_t last = event.first_operation + std::size_t{kMany};
    const Operation& first = operations[event.first_operation];
    while (last < operations.size() && operations[last].started == first.started &&
           operations[last].stream == first.stream) {
      ++last;
    }
    return last - event.first_operation;
  }

  [[nodiscard]] std::size_t count_completed(const Event& event) const {
    if (event.ended_count != kMany) {
      return event.ended_count;
    }
    std::size_t last = event.first_ended + std::size_t{kMany};
    while (last < ended.size() && ended[last] != kNone) {
      ++last;
    }
    return last - event.first_ended;
  }
};

/// A communicator of the job. Inter-communicators have both groups; `members` is then the one with
/// the smaller first world rank.
struct Comm {
  std::string name;
  std::vector<int> members;         ///< world ranks
  std::vector<int> remote_members;  ///< empty: intracommunicator

  /// The group in which ranks count that `world_rank` gives to calls, or finds in a status.
  [[nodiscard]] const std::vector<int>& peers_of(int world_rank) const {
    const bool other_side = !remote_members.empty() &&
                            std::find(members.begin(), members.end(), world_rank) != members.end();
    return other_side ? remote_members : members;
  }
};

struct TraceSite {
  std::vector<CodeAddress> frames;  ///< innermost first; equal sites of all ranks are one
};

struct TraceRegion {
  std::string name;     ///< of a user region; empty: OpenMP
  CodeAddress address;  ///< OpenMP: see ParallelRegion
  std::uint32_t parent = kNone;
};

struct Trace {
  std::vector<std::string> functions;  ///< "MPI_Send"
  std::vector<bool> is_collective;     ///< by function
  std::vector<Shape> shapes;
  std::vector<TraceSite> sites;
  std::vector<Comm> comms;
  std::vector<TraceRegion> regions;
  std::vector<std::string> nodes;  ///< hosts
  std::vector<Rank> ranks;         ///< by world rank; those without events are empty
  std::vector<Message> messages;
  std::vector<Collective> collectives;
  std::vector<std::uint32_t> members;  ///< see Collective::first_member
  std::uint64_t unmatched_sends = 0, unmatched_receives = 0;
  double clock_error_s = 0;           ///< residual of the clocks' alignment; 0 on one host
  std::vector<std::string> problems;  ///< one sentence each: what could not be read, and why

  const Shape& shape(const Event& event) const { return shapes[event.shape]; }
  const Event& start(std::uint32_t rank, const Operation& of) const {
    return ranks[rank].streams[of.stream].events[of.started];
  }
};

/// Events of all ranks and streams.
std::uint64_t event_count(const Trace& trace);

/// Finds who received each send and who took part in each collective call: messages by
/// communicator, pair and tag in the order of posting (non-overtaking, MPI-4.1, section 3.5), with
/// the sources and tags that wildcard receives reported; collectives by their order on each
/// communicator. Fills `messages`, `collectives`, `members`, and partner, message and bytes of
/// operations. Linear in the operations. What finds no partner (killed run, ring) is counted.
void match(Trace& trace);

/// Reads the trace of a run: RUN/trace/*.ptrace (packed) or RUN/records/*.evt with *.rec, and
/// matches it. Damaged parts are left out and named in `problems`.
/// @throws Error when there is no trace at all, or it is of another version.
Trace read_trace(const std::filesystem::path& run_dir);

/// Does the run have a trace?
bool has_trace(const std::filesystem::path& run_dir);

}  // namespace plait::trace
