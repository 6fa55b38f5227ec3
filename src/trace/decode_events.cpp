// SPDX-License-Identifier: BSD-3-Clause
// Decodes chunks of events; see event_format.h.
#include "trace/decode_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/spare_room.hpp"
#include "trace/event_names.hpp"
#include "trace/gap_reader.hpp"
#include "trace/request_ends.hpp"

namespace plait::trace {

namespace {

bool holds_others(std::uint32_t kind) {
  return kind == PLAIT_EVENT_PARALLEL || kind == PLAIT_EVENT_WORK || kind == PLAIT_EVENT_REGION;
}

bool is_collective(std::uint32_t kind) {
  return kind == PLAIT_EVENT_COLLECTIVE || kind == PLAIT_EVENT_ICOLLECTIVE;
}

class Decoder {
public:
  Decoder(EventSource& source, const Trace& trace, const std::vector<MergedShape>& shapes,
          const TickMap& clock, Rank& rank, std::vector<std::string>& problems)
      : source_(source),
        merged_(shapes),
        clock_(clock),
        rank_(rank),
        problems_(problems),
        gaps_(source.shapes(), shapes, trace, rank),
        requests_(trace, rank, gaps_),
        last_bytes_(shapes.size()) {}

  std::string run() {
    reserve();
    for (std::size_t index = 0; index < source_.chunk_count(); ++index) {
      const EventChunk chunk = source_.chunk(index);
      if (!chunk.shape.empty()) {
        enter_thread(chunk);
        read(chunk);
      }
    }
    requests_.finish();
    if (unreadable_ == 0) return "";
    problems_.push_back(fmt::format("rank {}: {} chunks could not be read completely: {}",
                                    rank_.world_rank, unreadable_, why_));
    return problems_.back();
  }

private:
  /// Reserves what most programs need, to avoid most reallocations.
  void reserve() {
    for (std::size_t index = 0; index < source_.chunk_count(); ++index) {
      events_ += source_.chunk_events(index);
    }
    rank_.operations.reserve(events_ / 2);
    rank_.ended.reserve(events_ / 3);
  }

  void enter_thread(const EventChunk& chunk) {
    if (rank_.streams.empty() || chunk.thread != thread_) {
      thread_ = chunk.thread;
      if (!rank_.streams.empty()) drop_spare_room(rank_.streams.back().events);
      Stream& stream = rank_.streams.emplace_back();
      if (rank_.streams.size() == 1) stream.events.reserve(events_);  // often the only one
      stream.tid = chunk.tid;
      stream.omp_thread = chunk.omp_thread;
      gaps_.begin_stream();
      last_ticks_ = 0;
    }
    requests_.begin_chunk(chunk.thread, chunk.first_request);
  }

  void read(const EventChunk& chunk) {
    ++chunk_number_;
    EventNames words(chunk.words);
    std::uint64_t ticks = std::max(chunk.first_ticks, last_ticks_);
    try {
      for (std::size_t i = 0; i < chunk.shape.size(); ++i) {
        read_event(chunk.shape[i], chunk.gap[i], chunk.duration[i], words, ticks);
      }
    } catch (const Unreadable& reason) {
      ++unreadable_;
      why_ = reason.why;
    }
  }

  /// The clocks of two cores may differ by a few ticks, and a call may change its core.
  static std::uint64_t not_negative(std::uint64_t ticks) { return ticks >> 63 != 0 ? 0 : ticks; }

  [[nodiscard]] const plait_shape& shape(std::uint32_t index) const {
    if (index >= merged_.size()) {
      throw Unreadable{"an event's shape is not defined"};
    }
    return source_.shapes()[index];
  }

  void read_event(std::uint32_t coded, std::uint32_t gap, std::uint32_t duration, EventNames& words,
                  std::uint64_t& ticks) {
    const std::uint32_t index = coded & PLAIT_SHAPE_INDEX;
    const plait_shape& of = shape(index);
    const std::uint64_t gap_ticks = gap == PLAIT_LONG ? words.two() : gap;
    const std::uint64_t own_ticks = not_negative(duration == PLAIT_LONG ? words.two() : duration);
    const std::uint64_t before = ticks;
    const std::uint64_t step = gap_ticks + (holds_others(of.kind) ? 0 : own_ticks);
    ticks += step;
    if (step < gap_ticks || ticks < before) throw Unreadable{"the times of its events overflow"};
    last_ticks_ = ticks;
    Event event;
    event.begin = clock_(ticks - std::min(own_ticks, ticks));
    event.end = clock_(ticks);
    event.bytes = bytes_of(index, coded, words);
    event.shape = merged_[index].index;
    if (of.kind == PLAIT_EVENT_PAUSE || of.kind == PLAIT_EVENT_GAP) {
      gaps_.read(words, {event.begin, event.end}, of.kind == PLAIT_EVENT_GAP);
      return;
    }
    if (of.kind == PLAIT_EVENT_CPU_WAIT) {
      const auto before = static_cast<std::int64_t>(ns_of(words.two()));
      const auto inside = static_cast<std::int64_t>(ns_of(words.two()));
      rank_.streams.back().cpu_waits.push_back({event.end, before, inside});
      return;
    }
    try {
      read_kind(index, of, event, words, own_ticks);
    } catch (const Unreadable&) {
      keep(event);  // operations may refer to it
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

  std::uint64_t bytes_of(std::uint32_t index, std::uint32_t coded, EventNames& words) {
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

  void read_kind(std::uint32_t index, const plait_shape& of, Event& event, EventNames& words,
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
      case PLAIT_EVENT_EPOCH:
        read_epoch(words);
        break;
      case PLAIT_EVENT_START:
        for (std::uint32_t left = words.one(); left > 0; --left) {
          const std::uint32_t made = words.one();
          const plait_shape& of_made = shape(made);
          start(event, of_made, merged_[made].index, words.two());
          requests_.start(operation_index());
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
        set_capacity(requests_.read(words, event, true), event);
        break;
      case PLAIT_EVENT_IMRECV:
        set_capacity(requests_.read(words, event, false), event);
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
        throw Unreadable{"it has events of a kind that this version of Plait does not know"};
    }
  }

  void read_epoch(EventNames& words) {
    EpochCall& call = rank_.epochs.emplace_back();
    call.stream = static_cast<std::uint32_t>(rank_.streams.size() - 1);
    call.event = static_cast<std::uint32_t>(rank_.streams.back().events.size());
    for (std::uint32_t left = words.one(); left > 0; --left)
      call.partners.push_back(words.number());
  }

  [[nodiscard]] std::uint64_t ns_of(std::uint64_t ticks) const {
    return static_cast<std::uint64_t>(
        std::min(static_cast<double>(ticks) * clock_.ns_per_tick, kMostNs));
  }

  [[nodiscard]] std::uint32_t operation_index() const {
    return static_cast<std::uint32_t>(rank_.operations.size() - 1);
  }

  /// Adds an operation that the current event starts and, unless it starts a request, also ends.
  Operation& start(Event& event, const plait_shape& of, std::uint32_t merged, std::uint64_t bytes) {
    if (event.operations == 0) {
      event.first_operation = static_cast<std::uint32_t>(rank_.operations.size());
    }
    if (event.operations < kMany) {
      ++event.operations;
    }
    Operation& out = rank_.operations.emplace_back();
    out.kind = operation_kind(of.kind);
    (out.kind == OperationKind::receive ? out.capacity : out.bytes) = bytes;
    if (out.kind == OperationKind::collective && (of.flags & PLAIT_SHAPE_CHECKED) == 0) {
      out.capacity = of.extra;
    }
    out.shape = merged;
    out.stream = out.end_stream = static_cast<std::uint32_t>(rank_.streams.size() - 1);
    out.started = static_cast<std::uint32_t>(rank_.streams.back().events.size());
    out.tag = of.tag;
    out.wildcard = (of.flags & PLAIT_SHAPE_WILDCARD) != 0;
    if (of.kind == PLAIT_EVENT_SEND || of.kind == PLAIT_EVENT_RECV ||
        of.kind == PLAIT_EVENT_SENDRECV || of.kind == PLAIT_EVENT_COLLECTIVE) {
      out.ended = out.started;
    }
    return out;
  }

  void read_operation(const plait_shape& of, Event& event, EventNames& words) {
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
      requests_.start(operation_index());
    }
  }

  void read_both_halves(const plait_shape& of, Event& event, EventNames& words) {
    Operation& send = start(event, of, event.shape, event.bytes);
    if ((of.flags & PLAIT_SHAPE_VARIES) != 0) {
      send.tag = words.number();
    }
    const std::uint32_t half = words.one();
    const plait_shape& of_half = shape(half);
    Operation& receive = start(event, of_half, merged_[half].index, words.two());
    receive.kind = OperationKind::receive;
    if (of.kind == PLAIT_EVENT_SENDRECV) {
      read_status(receive, words);
    } else {
      requests_.start(operation_index() - 1, true);
      words.number();  // the source, which the shape also has
      receive.tag = words.number();
    }
  }

  /// The actual source and tag of a receive.
  void read_status(Operation& operation, EventNames& words) {
    const int source = words.number();
    const int tag = words.number();
    if (operation.wildcard) {
      requests_.set_status(operation, source, tag);
    } else {
      operation.tag = tag;
    }
  }

  /// Sets the buffer size of a matched receive, which its probe did not know.
  void set_capacity(std::uint32_t operation, const Event& event) {
    if (operation != kNone) {
      rank_.operations[operation].capacity = event.bytes;
    }
  }

  void read_completions(std::uint32_t index, Event& event, EventNames& words) {
    const std::uint32_t count = words.one();
    if (count == 0 && merged_[index].poll != kNone) {
      read_polls(index, event, words);
      return;
    }
    for (std::uint32_t left = count; left > 0; --left) {
      requests_.read(words, event, true);
    }
  }

  void read_polls(std::uint32_t index, Event& event, EventNames& words) {
    event.shape = merged_[index].poll;
    event.bytes = words.one();
  }

  void read_probe(std::uint32_t index, const plait_shape& of, Event& event, EventNames& words) {
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
        requests_.set_status(operation, source, tag);
      }
      requests_.start(operation_index());
    }
  }

  struct LastBytes {
    std::uint64_t chunk = 0;
    std::uint64_t bytes = 0;
  };
  EventSource& source_;
  const std::vector<MergedShape>& merged_;
  const TickMap clock_;
  Rank& rank_;
  std::vector<std::string>& problems_;
  GapReader gaps_;
  RequestEnds requests_;
  std::size_t events_ = 0;             // of all chunks
  std::vector<LastBytes> last_bytes_;  // by shape, in the current chunk
  std::uint64_t chunk_number_ = 0;
  std::uint64_t last_ticks_ = 0;  // end of the stream's last event
  std::uint32_t thread_ = 0;
  std::uint64_t unreadable_ = 0;
  std::string why_;
};

}  // namespace

std::string decode_events(EventSource& source, const Trace& trace,
                          const std::vector<MergedShape>& shapes, const TickMap& clock, Rank& rank,
                          std::vector<std::string>& problems) {
  return Decoder(source, trace, shapes, clock, rank, problems).run();
}

}  // namespace plait::trace
