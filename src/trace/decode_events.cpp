// SPDX-License-Identifier: BSD-3-Clause
// Decodes chunks of events; src/trace/event_format.h describes them.
#include "trace/decode_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trace/started_requests.hpp"

namespace plait::trace {

namespace {

/// What makes the rest of a chunk unreadable.
struct Unreadable {
  const char* why;
};

/// The words of a chunk, one after the other.
class Words {
public:
  explicit Words(std::span<const std::uint32_t> words) : words_(words) {}

  std::uint32_t one() {
    if (next_ == words_.size()) {
      throw Unreadable{"it has fewer words than its events need"};
    }
    return words_[next_++];
  }
  int number() { return static_cast<int>(one()); }
  std::uint64_t two() {
    const std::uint64_t low = one();
    return low | (std::uint64_t{one()} << 32);
  }

private:
  std::span<const std::uint32_t> words_;
  std::size_t next_ = 0;
};

bool holds_others(std::uint32_t kind) {
  return kind == PLAIT_EVENT_PARALLEL || kind == PLAIT_EVENT_WORK || kind == PLAIT_EVENT_REGION;
}

bool is_collective(std::uint32_t kind) {
  return kind == PLAIT_EVENT_COLLECTIVE || kind == PLAIT_EVENT_ICOLLECTIVE;
}

OperationKind operation_kind(std::uint32_t kind) {
  if (is_collective(kind)) {
    return OperationKind::kCollective;
  }
  return kind == PLAIT_EVENT_RECV || kind == PLAIT_EVENT_IRECV || kind == PLAIT_EVENT_MPROBE
             ? OperationKind::kReceive
             : OperationKind::kSend;
}

class Decoder {
public:
  Decoder(EventSource& source, const Trace& trace, const std::vector<MergedShape>& shapes,
          const TickMap& clock, Rank& rank, std::vector<std::string>& problems)
      : source_(source),
        trace_(trace),
        merged_(shapes),
        clock_(clock),
        rank_(rank),
        problems_(problems),
        last_bytes_(shapes.size()) {}

  void run() {
    reserve();
    for (std::size_t index = 0; index < source_.chunk_count(); ++index) {
      const EventChunk chunk = source_.chunk(index);
      if (!chunk.shape.empty()) {
        enter_thread(chunk);
        read(chunk);
      }
    }
    find_foreign();
    if (pause_ns_ > 0) {
      problems_.push_back(
          fmt::format("rank {} paused recording for {:.3f} s (MPI_Pcontrol(0)), "
                      "which counts as computation",
                      rank_.world_rank, static_cast<double>(pause_ns_) * 1e-9));
    }
    if (unreadable_ > 0) {
      problems_.push_back(fmt::format("rank {}: {} chunks could not be read to their end: {}",
                                      rank_.world_rank, unreadable_, why_));
    }
  }

private:
  /// Room for all, found by a look at the shapes, so that nothing has to move while it grows.
  void reserve() {
    const std::span<const plait_shape> shapes = source_.shapes();
    const double most = 64e6;  // a damaged count shall not ask for more
    std::uint64_t events = 0;
    for (std::size_t index = 0; index < source_.chunk_count(); ++index) {
      events += source_.chunk_events(index);
    }
    bool starts = false;
    for (const plait_shape& shape : shapes) {
      starts = starts || shape.kind == PLAIT_EVENT_ISEND || shape.kind == PLAIT_EVENT_IRECV;
    }
    const auto room = static_cast<std::size_t>(std::min(static_cast<double>(events), most));
    rank_.operations.reserve(room / 2);
    if (starts) {
      rank_.ended.reserve(room / 3);
    }
  }

  void enter_thread(const EventChunk& chunk) {
    if (rank_.streams.empty() || chunk.thread != thread_) {
      thread_ = chunk.thread;
      by_thread_.push_back(chunk.thread);
      requests_.emplace_back();
      Stream& stream = rank_.streams.emplace_back();
      stream.tid = chunk.tid;
      stream.omp_thread = chunk.omp_thread;
    }
    stream_ = static_cast<std::uint32_t>(rank_.streams.size() - 1);
    requests_.back().continue_at(chunk.first_request);
  }

  void read(const EventChunk& chunk) {
    ++chunk_number_;
    Words words(chunk.words);
    std::uint64_t ticks = chunk.first_ticks;
    try {
      for (std::size_t i = 0; i < chunk.shape.size(); ++i) {
        read_event(chunk.shape[i], chunk.gap[i], chunk.duration[i], words, ticks);
      }
    } catch (const Unreadable& reason) {
      ++unreadable_;
      why_ = reason.why;
    }
  }

  [[nodiscard]] const plait_shape& shape(std::uint32_t index) const {
    if (index >= merged_.size()) {
      throw Unreadable{"an event's shape is not defined"};
    }
    return source_.shapes()[index];
  }

  void read_event(std::uint32_t coded, std::uint32_t gap, std::uint32_t duration, Words& words,
                  std::uint64_t& ticks) {
    const std::uint32_t index = coded & PLAIT_SHAPE_INDEX;
    const plait_shape& of = shape(index);
    const std::uint64_t gap_ticks = gap == PLAIT_LONG ? words.two() : gap;
    const std::uint64_t own_ticks = duration == PLAIT_LONG ? words.two() : duration;
    ticks += gap_ticks + (holds_others(of.kind) ? 0 : own_ticks);
    Event event;
    event.begin = clock_(ticks - own_ticks);
    event.end = clock_(ticks);
    event.bytes = bytes_of(index, coded, words);
    event.shape = merged_[index].index;
    if (of.kind == PLAIT_EVENT_PAUSE) {
      pause_ns_ += event.end - event.begin;
      return;
    }
    try {
      read_kind(index, of, event, words, own_ticks);
    } catch (const Unreadable&) {
      keep(event);  // with what is known: operations refer to it
      throw;
    }
    keep(event);
  }

  void keep(const Event& event) {
    if (event.ended_count == kMany) {
      rank_.ended.push_back(kNone);
    }
    rank_.streams.back().events.push_back(event);
  }

  std::uint64_t bytes_of(std::uint32_t index, std::uint32_t coded, Words& words) {
    auto& [chunk, bytes] = last_bytes_[index];
    if (chunk != chunk_number_) {
      chunk = chunk_number_;
      bytes = 0;
    }
    if ((coded & PLAIT_SHAPE_BYTES) != 0) {
      bytes = (coded & PLAIT_SHAPE_WIDE) != 0 ? words.two() : words.one();
    }
    return bytes;
  }

  void read_kind(std::uint32_t index, const plait_shape& of, Event& event, Words& words,
                 std::uint64_t own_ticks) {
    switch (of.kind) {
      case PLAIT_EVENT_OTHER:
      case PLAIT_EVENT_RMA:
      case PLAIT_EVENT_REGION:
        break;
      case PLAIT_EVENT_SEND:
      case PLAIT_EVENT_RECV:
      case PLAIT_EVENT_COLLECTIVE:
      case PLAIT_EVENT_ISEND:
      case PLAIT_EVENT_IRECV:
      case PLAIT_EVENT_ICOLLECTIVE:
        read_operation(of, event, words);
        break;
      case PLAIT_EVENT_SENDRECV:
      case PLAIT_EVENT_ISENDRECV:
        read_both_halves(of, event, words);
        break;
      case PLAIT_EVENT_START:
        for (std::uint32_t left = words.one(); left > 0; --left) {
          const std::uint32_t made = words.one();
          const plait_shape& of_made = shape(made);
          start(event, of_made, merged_[made].index, words.two());
          begin_request(operation_index());
        }
        break;
      case PLAIT_EVENT_COMPLETE:
        read_completions(index, event, words);
        break;
      case PLAIT_EVENT_PROBE:
      case PLAIT_EVENT_MPROBE:
        read_probe(index, of, event, words);
        break;
      case PLAIT_EVENT_MRECV:
        read_reference(event, words, true);
        set_capacity(event);
        break;
      case PLAIT_EVENT_IMRECV:
        read_reference(event, words, false);
        break;
      case PLAIT_EVENT_PARALLEL: {
        const std::uint64_t all = words.one() * own_ticks;
        event.bytes = ns_of(all - std::min(words.two(), all));
        break;
      }
      case PLAIT_EVENT_WORK:
        event.bytes = ns_of(words.two());
        break;
      default:
        throw Unreadable{"it has events of a kind that this plait does not know"};
    }
  }

  [[nodiscard]] std::uint64_t ns_of(std::uint64_t ticks) const {
    return static_cast<std::uint64_t>(static_cast<double>(ticks) * clock_.ns_per_tick);
  }

  [[nodiscard]] std::uint32_t operation_index() const {
    return static_cast<std::uint32_t>(rank_.operations.size() - 1);
  }

  void begin_request(std::uint32_t operation) { requests_.back().start(operation); }

  /// Adds an operation that the event at hand starts, and (unless it starts a request) ends.
  Operation& start(Event& event, const plait_shape& of, std::uint32_t merged, std::uint64_t bytes) {
    if (event.operations == 0) {
      event.first_operation = static_cast<std::uint32_t>(rank_.operations.size());
    }
    if (event.operations < kMany) {
      ++event.operations;
    }
    Operation& out = rank_.operations.emplace_back();
    out.kind = operation_kind(of.kind);
    (out.kind == OperationKind::kReceive ? out.capacity : out.bytes) = bytes;
    if (out.kind == OperationKind::kCollective && (of.flags & PLAIT_SHAPE_CHECKED) == 0) {
      out.capacity = of.extra;
    }
    out.shape = merged;
    out.stream = out.end_stream = stream_;
    out.started = static_cast<std::uint32_t>(rank_.streams.back().events.size());
    out.tag = of.tag;
    out.wildcard = (of.flags & PLAIT_SHAPE_WILDCARD) != 0;
    if (of.kind == PLAIT_EVENT_SEND || of.kind == PLAIT_EVENT_RECV ||
        of.kind == PLAIT_EVENT_SENDRECV || of.kind == PLAIT_EVENT_COLLECTIVE) {
      out.ended = out.started;
    }
    return out;
  }

  void read_operation(const plait_shape& of, Event& event, Words& words) {
    Operation& operation = start(event, of, event.shape, event.bytes);
    if ((of.flags & PLAIT_SHAPE_VARIES) != 0) {
      if (is_collective(of.kind)) {
        operation.capacity = words.two();
      } else {
        operation.tag = words.number();
      }
    }
    if (of.kind == PLAIT_EVENT_RECV && operation.wildcard) {
      read_status(operation, words);
    }
    if (of.kind == PLAIT_EVENT_ISEND || of.kind == PLAIT_EVENT_IRECV ||
        of.kind == PLAIT_EVENT_ICOLLECTIVE) {
      begin_request(operation_index());
    }
  }

  void read_both_halves(const plait_shape& of, Event& event, Words& words) {
    Operation& send = start(event, of, event.shape, event.bytes);
    if ((of.flags & PLAIT_SHAPE_VARIES) != 0) {
      send.tag = words.number();
    }
    const bool blocking = of.kind == PLAIT_EVENT_SENDRECV;
    if (!blocking) {
      begin_request(operation_index() | kBothHalves);
    }
    const std::uint32_t half = words.one();
    const plait_shape& of_half = shape(half);
    Operation& receive = start(event, of_half, merged_[half].index, words.two());
    receive.kind = OperationKind::kReceive;
    if (blocking) {
      read_status(receive, words);
    } else {
      words.number();  // the source, as the shape says it
      receive.tag = words.number();
    }
  }

  /// The actual source and tag of a receive.
  void read_status(Operation& operation, Words& words) {
    const int source = words.number();
    const int tag = words.number();
    if (!operation.wildcard) {
      operation.tag = tag;
      return;
    }
    set_status(operation, source, tag);
  }

  void set_status(Operation& operation, int source, int tag) {
    operation.tag = tag;
    const std::uint32_t comm = trace_.shapes[operation.shape].comm;
    if (source < 0 || comm == kNone) {
      return;
    }
    if (peers_.size() < trace_.comms.size()) {
      peers_.resize(trace_.comms.size(), nullptr);
    }
    if (peers_[comm] == nullptr) {
      peers_[comm] = &trace_.comms[comm].peers_of(rank_.world_rank);
    }
    const auto index = static_cast<std::size_t>(source);
    if (index < peers_[comm]->size()) {
      operation.partner = (*peers_[comm])[index];
    }
  }

  void read_completions(std::uint32_t index, Event& event, Words& words) {
    const std::uint32_t count = words.one();
    if (count == 0 && merged_[index].poll != kNone) {
      read_polls(index, event, words);
      return;
    }
    for (std::uint32_t left = count; left > 0; --left) {
      read_reference(event, words, true);
    }
  }

  void read_polls(std::uint32_t index, Event& event, Words& words) {
    event.shape = merged_[index].poll;
    event.bytes = words.one();
  }

  void read_probe(std::uint32_t index, const plait_shape& of, Event& event, Words& words) {
    const int asked_tag = (of.flags & PLAIT_SHAPE_VARIES) != 0 ? words.number() : of.tag;
    if (words.one() == 0) {
      read_polls(index, event, words);
      return;
    }
    const int source = words.number();
    const int tag = words.number();
    if (of.kind == PLAIT_EVENT_MPROBE) {
      Operation& operation = start(event, of, event.shape, 0);
      operation.tag = operation.wildcard ? tag : asked_tag;
      if (operation.wildcard) {
        set_status(operation, source, tag);
      }
      begin_request(operation_index());
    }
  }

  /// @param ends  the event ends what the reference is to
  void read_reference(Event& event, Words& words, bool ends) {
    Reference reference{words.one()};
    if (reference.bits == PLAIT_REFERENCE_UNKNOWN) {
      return;
    }
    const std::uint32_t count = reference.bits & PLAIT_REFERENCE_COUNT;
    const bool foreign = (reference.bits & PLAIT_REFERENCE_FOREIGN) != 0;
    const std::uint32_t thread = foreign ? words.one() : 0;
    if ((reference.bits & PLAIT_REFERENCE_STATUS) != 0) {
      reference.source = words.number();
      reference.tag = words.number();
    }
    reference.stream = stream_;
    reference.event = static_cast<std::uint32_t>(rank_.streams.back().events.size());
    if (foreign) {
      if (ends) {
        foreign_.push_back({reference, thread, count, ended_slot(event, kNone)});
      }
      return;
    }
    const std::uint32_t request = requests_.back().operation(requests_.back().next() - count);
    if (!ends || request == kNone) {
      last_ended_ = kNone;
      return;
    }
    last_ended_ = request & ~kBothHalves;
    for (std::uint32_t half = 0; half < halves(request); ++half) {
      ended_slot(event, last_ended_ + half);
      end(last_ended_ + half, reference);
    }
  }

  struct Reference {
    std::uint32_t bits;
    int source = -1, tag = 0;
    std::uint32_t stream = 0, event = 0;
  };

  static std::uint32_t halves(std::uint32_t request) {
    return (request & kBothHalves) != 0 ? 2 : 1;
  }

  std::size_t ended_slot(Event& event, std::uint32_t operation) {
    if (event.ended_count == 0) {
      event.first_ended = static_cast<std::uint32_t>(rank_.ended.size());
    }
    if (event.ended_count < kMany) {
      ++event.ended_count;
    }
    rank_.ended.push_back(operation);
    return rank_.ended.size() - 1;
  }

  void end(std::uint32_t number, const Reference& by) {
    Operation& operation = rank_.operations[number];
    operation.ended = by.event;
    operation.end_stream = by.stream;
    operation.cancelled = (by.bits & PLAIT_REFERENCE_CANCELLED) != 0;
    operation.freed = (by.bits & PLAIT_REFERENCE_FREED) != 0;
    if ((by.bits & PLAIT_REFERENCE_STATUS) != 0 && operation.wildcard) {
      set_status(operation, by.source, by.tag);
    }
  }

  /// A matched receive's room is known once the message is received.
  void set_capacity(const Event& event) {
    if (last_ended_ != kNone) {
      rank_.operations[last_ended_].capacity = event.bytes;
    }
  }

  /// What threads completed for others, now that all threads' requests are known.
  void find_foreign() {
    if (foreign_.empty()) {
      return;
    }
    for (const Foreign& at : foreign_) {
      const auto thread = std::ranges::find(by_thread_, at.thread);
      if (thread == by_thread_.end()) {
        continue;
      }
      const auto& requests = requests_[static_cast<std::size_t>(thread - by_thread_.begin())];
      const std::uint32_t request = requests.operation(at.number);
      if (request == kNone) {
        continue;
      }
      rank_.ended[at.slot] = request & ~kBothHalves;
      for (std::uint32_t half = 0; half < halves(request); ++half) {
        end((request & ~kBothHalves) + half, at.reference);
      }
    }
    drop_unknown();
  }

  /// Takes what stayed unknown out of the lists of what events ended.
  void drop_unknown() {
    std::vector<std::uint32_t> kept;
    kept.reserve(rank_.ended.size());
    for (Stream& stream : rank_.streams) {
      for (Event& event : stream.events) {
        const std::span<const std::uint32_t> all = rank_.completed_by(event);
        const std::size_t before = kept.size();
        std::ranges::copy_if(all, std::back_inserter(kept),
                             [](std::uint32_t operation) { return operation != kNone; });
        const std::size_t count = kept.size() - before;
        event.first_ended = count > 0 ? static_cast<std::uint32_t>(before) : kNone;
        event.ended_count = static_cast<std::uint16_t>(std::min<std::size_t>(count, kMany));
        if (event.ended_count == kMany) {
          kept.push_back(kNone);
        }
      }
    }
    rank_.ended = std::move(kept);
  }

  struct Foreign {
    Reference reference;
    std::uint32_t thread;
    std::uint64_t number;
    std::size_t slot;
  };
  struct LastBytes {
    std::uint64_t chunk = 0;
    std::uint64_t bytes = 0;
  };
  /// Of a request of Isendrecv, whose second half is the next operation.
  static constexpr std::uint32_t kBothHalves = 1U << 31;

  EventSource& source_;
  const Trace& trace_;
  const std::vector<MergedShape>& merged_;
  const TickMap clock_;
  Rank& rank_;
  std::vector<std::string>& problems_;
  std::vector<LastBytes> last_bytes_;  // by shape, in the chunk at hand
  std::uint64_t chunk_number_ = 0;
  std::uint32_t thread_ = 0, stream_ = 0;
  std::uint32_t last_ended_ = kNone;
  std::vector<std::uint32_t> by_thread_;   // thread of each stream
  std::vector<StartedRequests> requests_;  // by stream
  std::vector<Foreign> foreign_;
  std::vector<const std::vector<int>*> peers_;  // of each communicator, as this rank sees it
  std::int64_t pause_ns_ = 0;
  std::uint64_t unreadable_ = 0;
  std::string why_;
};

}  // namespace

void decode_events(EventSource& source, const Trace& trace, const std::vector<MergedShape>& shapes,
                   const TickMap& clock, Rank& rank, std::vector<std::string>& problems) {
  Decoder(source, trace, shapes, clock, rank, problems).run();
}

}  // namespace plait::trace
