// SPDX-License-Identifier: BSD-3-Clause
// A trace in memory: the events of all ranks on one clock, with messages and collectives matched.
//
// Times are nanoseconds since the start of the trace (the first event or end of MPI_Init) on the
// clock of rank 0's host. Indices have 32 bits; kNone means "none". Everything is plain data:
// readers fill it, match() completes it, and nothing changes it afterwards.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "base/processes.hpp"
#include "trace/event_format.h"
#include "trace/rank_record.hpp"
#include "trace/tick_map.hpp"

namespace plait::trace {

inline constexpr std::uint32_t kNone = ~0U;

enum class EventKind : std::uint8_t {
  other,         ///< an MPI call that moves nothing
  send,          ///< blocking
  receive,       ///< blocking, including matched receives (Mrecv)
  send_receive,  ///< Sendrecv
  start,         ///< Isend, Irecv, Start, Imrecv, Icollective: returns before its operations end
  complete,      ///< Wait*, Test* that completed something, Request_free
  poll,          ///< Test*, Iprobe that found nothing; consecutive calls are one event
  probe,         ///< Probe, Iprobe that found something; Mprobe, which also starts the receive of
                 ///< the message it found (Mrecv or a completion ends it)
  collective,    ///< blocking
  one_sided,
  parallel,  ///< an OpenMP region, on the thread that starts it
  work,      ///< one thread's part in an OpenMP region
  region     ///< a user region; may contain other events
};

/// The kind as files name it: "send", "receive", "send_receive", ...
std::string_view kind_name(EventKind kind);

/// The attributes that events have in common; see plait_shape. Indices refer to the lists of Trace,
/// which cover all processes.
struct Shape {
  EventKind kind = EventKind::other;
  std::uint32_t flags = 0;         ///< plait_shape_flag
  std::uint32_t function = kNone;  ///< Trace::functions
  std::uint32_t site = kNone;      ///< Trace::sites; kParallel, kWork, kRegion: Trace::regions
  std::uint32_t comm = kNone;      ///< Trace::comms
  int peer = PLAIT_NO_PEER;        ///< rank in the communicator's peer group, or PLAIT_*_PEER
  int tag = PLAIT_ANY_TAG;
  std::uint32_t operation = 0;  ///< reductions: plait_operation
  std::uint64_t extra = 0;      ///< see plait_shape
  std::uint64_t elements = 0;

  bool operator==(const Shape&) const = default;
};

/// In the counts of Event: this many or more. The list in Rank::ended then ends with kNone.
inline constexpr std::uint16_t kMany = 0xffff;

struct Event {
  std::int64_t begin = 0, end = 0;  ///< ns
  std::uint64_t bytes = 0;          ///< sent or received; Irecv: size of the buffer;
                                    ///< kPoll: calls; kParallel, kWork: idle thread-ns
  std::uint32_t shape = 0;          ///< Trace::shapes
  std::uint32_t first_operation =
      kNone;                          ///< the first it started (consecutive in Rank::operations)
  std::uint32_t first_ended = kNone;  ///< the first it completed: index into Rank::ended
  std::uint16_t operations = 0;       ///< started; see Rank::started_by
  std::uint16_t ended_count = 0;      ///< requests completed; see Rank::completed_by
};

enum class OperationKind : std::uint8_t { send, receive, collective };

/// A send, a receive, or a rank's part in a collective. Blocking ones start and end in the same
/// event.
struct Operation {
  std::uint64_t bytes = 0;     ///< sent; receive: the message's, once matched
  std::uint64_t capacity = 0;  ///< receive: size of the buffer; collective: bytes received
  std::uint32_t shape = 0;     ///< of the starting call, or of the call that made the request
  std::uint32_t stream = 0, started = kNone, ended = kNone;  ///< events; `ended` of end_stream
  std::uint32_t end_stream = 0;
  std::uint32_t message = kNone;  ///< Trace::messages, or Trace::collectives
  int partner = -1;               ///< world rank; -1: none or unknown. Of a wildcard receive from
                                  ///< its status; match() finds the others'
  int tag = 0;                    ///< of the message, not a wildcard
  OperationKind kind = OperationKind::send;
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
  std::uint32_t first_member = 0;  ///< Trace::members: the operation of each of Comm::members, then
                                   ///< of Comm::remote_members; kNone: not recorded. In a part of
                                   ///< a trace, only those of its ranks; see Trace::for_members()
  std::uint32_t shape = 0;         ///< of the first recorded member
  bool consistent = true;          ///< same function and root everywhere
};

/// A thread waited for a CPU.
struct CpuWait {
  std::int64_t at = 0;         ///< begin of an MPI call; in an OpenMP worker, end of its work
  std::int64_t before_ns = 0;  ///< between the previous call and this one
  std::int64_t inside_ns = 0;  ///< in this call
};

/// The events of one thread in the order in which they end. Events that may contain others
/// (kParallel, kWork, kRegion) follow what they contain; the begins of the others also ascend.
struct Stream {
  int tid = 0;
  int omp_thread = -1;
  std::vector<Event> events;
  std::vector<CpuWait> cpu_waits;  ///< ascending
};

/// A part of the run in which a rank recorded no events on purpose: outside of --trace-region, or
/// while MPI_Pcontrol had paused recording.
struct Gap {
  std::int64_t begin = 0, end = 0;  ///< ns
};

/// Operations of one communicator, peer and tag that a rank left out in a gap.
struct LeftOutOperations {
  OperationKind kind = OperationKind::send;
  std::uint32_t shape = 0;   ///< of one of them, or of another operation
  std::uint32_t stream = 0;  ///< of the thread that posted them,
  std::uint32_t before = 0;  ///< before this operation, an index into Rank::operations,
  std::int64_t at = 0;       ///< and after this time, the begin of the gap
  std::uint64_t count = 0;
  int partner = -1;  ///< as in Operation
  int tag = 0;
};

/// MPI_Win_post, MPI_Win_start, MPI_Win_complete or MPI_Win_wait.
struct EpochCall {
  std::uint32_t stream = 0, event = 0;
  std::vector<int> partners;  ///< world ranks of the group of post and start; -1: unknown
};

struct Rank {
  int world_rank = 0;
  std::string host;
  std::uint32_t node = 0;             ///< index into Trace::nodes
  std::int64_t begin = 0, end = 0;    ///< end of Init; begin of Finalize, or the last event's end
  bool complete = true;               ///< Finalize was reached
  bool left_out = false;              ///< no events were recorded on purpose (--trace-ranks, or all
                                      ///< of the rank's time is in gaps)
  std::vector<Stream> streams;        ///< the main thread's (which called Init) first
  std::vector<Operation> operations;  ///< in the order in which they started, per stream
  std::vector<std::uint32_t> ended;   ///< operations, see completed_by()
  std::vector<EpochCall> epochs;      ///< in the order of the streams and events
  std::vector<Gap> gaps;              ///< of the main thread; ascending
  std::vector<LeftOutOperations> left_out_operations;  ///< in the order of the streams and gaps
  std::uint64_t lost_events = 0, overwritten_events = 0;
  double overhead_ns_per_event = 0;
  TickMap clock;  ///< from ticks of the process to the time of the trace, without Trace::cuts

  /// The operations that an event started, including blocking ones, which it also ended.
  [[nodiscard]] std::span<const Operation> started_by(const Event& event) const {
    return event.operations == 0
               ? std::span<const Operation>()
               : std::span(operations).subspan(event.first_operation, count_started(event));
  }

  /// The operations of earlier events that an event completed, as indices into `operations`.
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

/// A communicator of the job. Of an intercommunicator, `members` is the group with the smaller
/// first world rank.
struct Comm {
  std::string name;
  std::vector<int> members;         ///< world ranks, indices of Trace::ranks; -1: unknown
  std::vector<int> remote_members;  ///< empty: intracommunicator
  /// Of each member: the indices of the members that send to it in neighbourhood collectives.
  /// Empty: no member called any, or they are unknown.
  std::vector<std::vector<int>> sources = {};

  /// The group to which peer ranks refer in the calls and statuses of `world_rank`.
  [[nodiscard]] const std::vector<int>& peers_of(int world_rank) const {
    const bool other_side = !remote_members.empty() &&
                            std::find(members.begin(), members.end(), world_rank) != members.end();
    return other_side ? remote_members : members;
  }
};

struct TraceSite {
  std::vector<CodeAddress> frames;  ///< innermost first; ranks share equal sites
};

struct TraceRegion {
  std::string name;     ///< of a user region; empty: OpenMP region
  CodeAddress address;  ///< OpenMP: see ParallelRegion
  std::uint32_t parent = kNone;
};

/// Time that is left out of a trace because a rank has a gap there; see cut_gaps().
struct Cut {
  std::int64_t begin = 0, end = 0;  ///< ns, on the clock before cutting
  std::int64_t at = 0;              ///< ns, where it was on the clock of the trace
};

struct Trace {
  std::vector<std::string> functions;  ///< "MPI_Send"
  std::vector<bool> is_collective;     ///< by function
  std::vector<Shape> shapes;
  std::vector<TraceSite> sites;
  std::vector<Comm> comms;
  std::vector<TraceRegion> regions;
  std::vector<std::string> nodes;  ///< hosts
  std::vector<Rank> ranks;         ///< by world rank; ranks without events are empty
  std::vector<Message> messages;
  std::vector<Collective> collectives;
  std::vector<std::uint32_t> members;  ///< see Collective::first_member
  std::uint64_t unmatched_sends = 0, unmatched_receives = 0;
  std::uint64_t untraced_sends = 0, untraced_receives = 0;  ///< the other side is on a rank that
                                                            ///< was left out, or in a gap
  std::uint32_t left_out = 0;                               ///< number of ranks left out
  std::vector<Cut> cuts;                                    ///< ascending
  double clock_error_s = 0;           ///< uncertainty of the clocks' alignment, s; 0 on one host
  std::vector<std::string> problems;  ///< sentences: what could not be read, and why
  std::string damage;  ///< the first of the problems because of which events are missing that were
                       ///< recorded; empty: none

  /// By process of those that share an analysis: the ranks for which it finds results. Empty: this
  /// process finds all.
  std::vector<IndexRange> shares;
  std::size_t process = 0;  ///< this one
  bool is_part = false;     ///< the process has events only of its own ranks; see Trace::shares
  std::uint64_t events_elsewhere = 0;  ///< of ranks of which this process has none
  std::uint64_t message_count = 0;     ///< of all processes together
  /// By process: the messages, in a part, between an own rank and one of that process. Both have
  /// them in the same order. Empty unless this is a part.
  std::vector<IndexRange> messages_with;

  [[nodiscard]] IndexRange own_ranks() const {
    return shares.empty() ? IndexRange{0, ranks.size()} : shares[process];
  }
  /// The ranks whose events this process has.
  [[nodiscard]] IndexRange ranks_here() const {
    return is_part ? shares[process] : IndexRange{0, ranks.size()};
  }
  [[nodiscard]] bool has(std::size_t rank) const {
    return !is_part || (rank >= shares[process].first && rank < shares[process].last);
  }
  /// Calls `use(member, rank, place)` for the members of a communicator, those of a remote group
  /// last. In a part, only for its ranks; `place` counts them. See Collective::first_member.
  template <class Use>
  void for_members(const Comm& comm, Use use) const {
    std::uint32_t member = 0, place = 0;
    for (const auto* group : {&comm.members, &comm.remote_members}) {
      for (const int rank : *group) {
        if (has(static_cast<std::size_t>(rank))) use(member, rank, place++);
        ++member;
      }
    }
  }

  const Shape& shape(const Event& event) const { return shapes[event.shape]; }
  const Event& start(std::uint32_t rank, const Operation& of) const {
    return ranks[rank].streams[of.stream].events[of.started];
  }
};

/// True for MPI calls, which do not overlap within a stream; false for OpenMP regions, parts of
/// them, and user regions.
bool is_call(EventKind kind);

/// True if the thread called MPI.
bool calls_mpi(const Trace& trace, const Stream& stream);

/// The number of events of all ranks and streams.
std::uint64_t event_count(const Trace& trace);

/// "40 of 1000 ranks": those that were traced.
std::string traced_text(const Trace& trace);

/// Seconds from the first rank's begin to the last one's end, of the ranks that were recorded.
double recorded_seconds(const Trace& trace);

/// Matches sends with receives, and the members' calls of each collective. Messages match by
/// communicator, pair and tag in the order of posting (non-overtaking, MPI-4.1, section 3.5), with
/// the sources and tags that the statuses of wildcard receives hold; collectives match by their
/// order on each communicator. Fills `messages`, `collectives`, `members`, and partner, message and
/// bytes of operations. Counts operations without a partner (killed run, ring) in `unmatched_*`,
/// but those whose partner was left out on purpose in `untraced_*`. Linear in the operations.
/// In a part of a trace, the processes that have the ends of a message exchange what each needs.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that have the other parts; null: the trace is whole. Collective among them.
void match(Trace& trace, unsigned threads = 0, Processes* processes = nullptr);

/// Reads and matches the trace of a run: RUN/trace/*.ptrace (packed), or RUN/records/*.evt with
/// *.rec. Leaves out damaged parts and names them in `problems` and `damage`.
/// All indices and times that it returns are valid.
/// Of many ranks, each process reads a part: the events of its own ranks. A trace of at most
/// kRanksTogether ranks, or with what parts cannot have (gaps, rings, ranks that were left out,
/// one-sided calls, intercommunicators, neighbourhood collectives), all processes read whole.
/// @param threads  that read at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the analysis: see share_ranks(); null: this one alone. Collective
///                   among them.
/// @throws Error when there is no trace, no file of it can be read, or it has another version.
/// @throws CommonError the same with several processes.
Trace read_trace(const std::filesystem::path& run_dir, unsigned threads = 0,
                 Processes* processes = nullptr);

/// Removes the time in which a rank has a gap from the clock of all ranks, so that every rank was
/// recorded all the time that is left: a computation or a wait does not contain what is unknown.
/// Events in the removed time stay, without duration. Fills Trace::cuts; does nothing without gaps.
void cut_gaps(Trace& trace);

/// The time on the clock of a trace after cut_gaps() of a time before it.
/// @returns nothing if it was cut out
std::optional<std::int64_t> without_cuts(const Trace& trace, std::int64_t ns);

/// Seconds that cut_gaps() removed between the ranks' begin and end.
double cut_seconds(const Trace& trace);

/// Divides the ranks among the processes that share an analysis: Trace::shares. Of many ranks, each
/// has a multiple of kRanksTogether.
void share_ranks(Trace& trace, const Processes& processes);

/// Refuses a trace of which a part is damaged, from which wrong results would follow.
/// @param name  of the run directory
/// @param remedy  what to do about it
/// @throws Error when Trace::damage is not empty.
void require_whole(const Trace& trace, const std::string& name,
                   const std::string& remedy = "record it again; plait export writes what is left");

/// Refuses a trace of only some ranks (--trace-ranks), from which wrong results would follow.
/// @param name  of the run directory
/// @param what  needs all ranks: "a replay"
/// @throws Error when Trace::left_out is not 0.
void require_all_ranks(const Trace& trace, const std::string& name, const std::string& what);

/// @returns whether the run directory contains a trace, readable or not
bool has_trace(const std::filesystem::path& run_dir);

}  // namespace plait::trace
