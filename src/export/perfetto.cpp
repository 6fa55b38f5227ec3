// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace in Perfetto's protobuf format: tracks, slices with interned names, flows for
// messages.
//
// Field numbers are those of Perfetto's protos/perfetto/trace: trace.proto, trace_packet.proto,
// track_event/*.proto, interned_data.proto.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/combine.hpp"
#include "base/parallel.hpp"
#include "export/event_text.hpp"
#include "export/export.hpp"
#include "export/in_order.hpp"
#include "export/in_turn.hpp"
#include "export/message_order.hpp"
#include "export/message_times.hpp"
#include "export/nesting.hpp"
#include "export/perfetto_samples.hpp"
#include "export/protobuf.hpp"

namespace plait::exports {
namespace {

using trace::kNone;

namespace packet {  // TracePacket
constexpr std::uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInterned = 12,
                        kSequenceFlags = 13, kTrackDescriptor = 60, kPerfSample = 66;
constexpr std::uint64_t kCleared = 1, kNeedsState = 2;
}  // namespace packet
namespace track_descriptor {
constexpr std::uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5;
}
namespace process_descriptor {
constexpr std::uint32_t kPid = 1, kName = 6;
}
namespace interned {  // InternedData; each entry has iid = 1 and its text = 2
constexpr std::uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kStrings = 29;
}
namespace track_event {
constexpr std::uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10, kTrack = 11,
                        kFlow = 47, kFlowEnd = 48;
constexpr std::uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3;
}  // namespace track_event
namespace annotation {
constexpr std::uint32_t kName = 1, kUnsigned = 3, kSigned = 4, kString = 17;
}

enum AnnotationName : std::uint64_t { kBytes = 1, kPeer, kTag, kComm, kSite, kPath, kIdle };
constexpr const char* kAnnotationTexts[] = {"bytes", "peer",      "tag",    "comm",
                                            "site",  "call path", "idle ns"};
constexpr const char* kCategoryTexts[] = {"MPI", "OpenMP", "region", "message"};

/// Writes packets of the only sequence.
class Packets {
public:
  explicit Packets(Sink& out) : out_(out) {}

  void put(Protobuf& content) {
    content.varint(packet::kSequence, kSequenceId);
    Protobuf trace;
    trace.message(1, content);
    out_.put(trace.bytes());
  }

  void descriptor(const Protobuf& track) {
    Protobuf content;
    content.message(packet::kTrackDescriptor, track);
    put(content);
  }

  /// A packet at a time with one field.
  void timed(std::int64_t ns, std::uint32_t field, const Protobuf& value) {
    content_.clear();
    content_.varint(packet::kTimestamp, static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)));
    content_.varint(packet::kSequenceFlags, packet::kNeedsState);
    content_.message(field, value);
    put(content_);
  }

private:
  static constexpr std::uint64_t kSequenceId = 1;

  Sink& out_;
  Protobuf content_;
};

struct Arrow {
  std::uint64_t event;   ///< stream and index
  std::uint32_t number;  ///< of the message, see MessageOrder
  bool late = false;     ///< the message was sent after the receiving call began
};
std::uint64_t place(std::uint32_t stream, std::uint32_t event) {
  return std::uint64_t{stream} << 32U | event;
}

/// What the packets of all ranks need.
struct Shared {
  const Request& request;
  const trace::Trace& trace;
  PerfettoSamples samples;
  std::vector<std::uint64_t> names;  ///< by shape
  std::uint64_t received_name = 0;
  std::vector<std::vector<Arrow>> leaving, coming;  ///< by rank
};

/// Writes the packets of one rank.
class RankWriter {
public:
  RankWriter(const Shared& shared, Sink& out, std::uint32_t rank)
      : shared_(shared), trace_(shared.trace), packets_(out), rank_(rank) {}

  void write() {
    const trace::Rank& of = trace_.ranks[rank_];
    Protobuf process;
    process.varint(process_descriptor::kPid, PerfettoSamples::process_number(rank_));
    process.text(process_descriptor::kName, rank_text(of));
    Protobuf track;
    track.varint(track_descriptor::kUuid, rank_track());
    track.message(track_descriptor::kProcess, process);
    packets_.descriptor(track);
    for (std::uint32_t thread = 0; thread < of.streams.size(); ++thread) {
      const trace::Stream& stream = of.streams[thread];
      Protobuf lane;
      lane.varint(track_descriptor::kUuid, thread_track(thread));
      lane.varint(track_descriptor::kParent, rank_track());
      if (const Protobuf sampled = shared_.samples.thread_of(rank_, thread);
          !sampled.bytes().empty()) {
        lane.message(track_descriptor::kThread, sampled);
      }
      lane.text(track_descriptor::kName, thread_text(stream));
      packets_.descriptor(lane);
      walk_nested(
          stream, shared_.request.selection,
          [&](std::uint32_t index) { begin(thread, index, stream.events[index]); },
          [&](std::uint32_t index, std::int64_t end_ns) {
            late_arrows(thread, index, end_ns);
            end(thread, end_ns);
          });
    }
    std::size_t next = of.streams.size();
    for (const Protobuf& thread : shared_.samples.other_threads(rank_)) {
      Protobuf lane;
      lane.varint(track_descriptor::kUuid, thread_track(next++));
      lane.message(track_descriptor::kThread, thread);
      packets_.descriptor(lane);
    }
  }

private:
  [[nodiscard]] std::uint64_t rank_track() const { return (std::uint64_t{rank_} + 1) << 24U; }
  [[nodiscard]] std::uint64_t thread_track(std::size_t thread) const {
    return rank_track() + thread + 1;
  }

  static std::uint64_t category_of(trace::EventKind kind) {
    const auto text = category(kind);
    return static_cast<std::uint64_t>(std::ranges::find(kCategoryTexts, text) - kCategoryTexts) + 1;
  }

  template <class Use>
  static void for_arrows(const std::vector<Arrow>& arrows, std::uint64_t event, Use use) {
    for (auto at = std::ranges::lower_bound(arrows, event, {}, &Arrow::event);
         at != arrows.end() && at->event == event; ++at) {
      use(*at);
    }
  }

  void begin(std::uint32_t thread, std::uint32_t index, const trace::Event& event) {
    const trace::Shape& shape = trace_.shape(event);
    event_.clear();
    event_.varint(track_event::kType, track_event::kSliceBegin);
    event_.varint(track_event::kTrack, thread_track(thread));
    event_.varint(track_event::kCategory, category_of(shape.kind));
    event_.varint(track_event::kName, shared_.names[event.shape]);
    annotate(event, shape);
    for_arrows(shared_.leaving[rank_], place(thread, index),
               [&](const Arrow& arrow) { event_.fixed64(track_event::kFlow, flow_of(arrow)); });
    for_arrows(shared_.coming[rank_], place(thread, index), [&](const Arrow& arrow) {
      if (!arrow.late) event_.fixed64(track_event::kFlowEnd, flow_of(arrow));
    });
    packets_.timed(event.begin, packet::kTrackEvent, event_);
  }

  void annotate(const trace::Event& event, const trace::Shape& shape) {
    const auto add = [&](AnnotationName name, std::uint32_t field, std::uint64_t value) {
      annotation_.clear();
      annotation_.varint(annotation::kName, name);
      annotation_.varint(field, value);
      event_.message(track_event::kAnnotation, annotation_);
    };
    if (!has_site(shape.kind)) {
      if (event.bytes > 0) add(kIdle, annotation::kUnsigned, event.bytes);
      return;
    }
    if (event.bytes > 0) add(kBytes, annotation::kUnsigned, event.bytes);
    if (shape.peer >= 0) add(kPeer, annotation::kSigned, static_cast<std::uint64_t>(shape.peer));
    if (has_tag(shape.kind) && shape.tag != PLAIT_ANY_TAG) {
      add(kTag, annotation::kSigned, static_cast<std::uint64_t>(std::int64_t{shape.tag}));
    }
    if (shape.comm != kNone) add(kComm, annotation::kUnsigned, shape.comm);
    if (shape.site < trace_.sites.size() && !trace_.sites[shape.site].frames.empty()) {
      add(kSite, annotation::kString, 2 * std::uint64_t{shape.site} + 1);
      add(kPath, annotation::kString, 2 * std::uint64_t{shape.site} + 2);
    }
  }

  static std::uint64_t flow_of(const Arrow& arrow) { return std::uint64_t{arrow.number} + 1; }

  /// A flow must not end before it begins. The flow of a message that was sent after the receiving
  /// call began ends in an instant at the end of that call.
  void late_arrows(std::uint32_t thread, std::uint32_t index, std::int64_t end_ns) {
    event_.clear();
    bool late = false;
    for_arrows(shared_.coming[rank_], place(thread, index), [&](const Arrow& arrow) {
      if (!arrow.late) return;
      if (!late) {
        event_.varint(track_event::kType, track_event::kInstant);
        event_.varint(track_event::kTrack, thread_track(thread));
        event_.varint(track_event::kCategory, std::size(kCategoryTexts));
        event_.varint(track_event::kName, shared_.received_name);
      }
      late = true;
      event_.fixed64(track_event::kFlowEnd, flow_of(arrow));
    });
    if (late) packets_.timed(end_ns, packet::kTrackEvent, event_);
  }

  void end(std::uint32_t thread, std::int64_t ns) {
    event_.clear();
    event_.varint(track_event::kType, track_event::kSliceEnd);
    event_.varint(track_event::kTrack, thread_track(thread));
    packets_.timed(ns, packet::kTrackEvent, event_);
  }

  const Shared& shared_;
  const trace::Trace& trace_;
  Packets packets_;
  const std::uint32_t rank_;
  Protobuf event_, annotation_;
};

class PerfettoExport {
public:
  explicit PerfettoExport(const Request& request)
      : out_(request.output, request.replace, request.processes),
        shared_{request, request.trace, PerfettoSamples(request), {}, 0, {}, {}} {}

  std::uint64_t write() {
    const trace::Trace& trace = shared_.trace;
    Packets packets(out_);
    if (rank_of(shared_.request.processes) == 0) intern(packets);
    broadcast(shared_.request.processes, 0, shared_.names, shared_.received_name);
    find_arrows();
    const auto events = [&](std::size_t rank) {
      std::size_t count = 0;
      for (const trace::Stream& stream : trace.ranks[rank].streams) count += stream.events.size();
      return count;
    };
    const IndexRange here = trace.ranks_here();
    put_in_turn(out_, shared_.request.processes, [&](Sink& all) {
      put_in_order(
          all, here.last - here.first, [&](std::size_t i) { return events(here.first + i); },
          [&](Sink& out, std::size_t i) {
            const auto rank = static_cast<std::uint32_t>(here.first + i);
            if (shared_.request.selection.has_rank(rank)) RankWriter(shared_, out, rank).write();
          });
    });
    shared_.samples.for_samples([&](std::int64_t ns, const Protobuf& sample) {
      packets.timed(ns, packet::kPerfSample, sample);
    });
    return out_.close();
  }

private:
  static void entry(Protobuf& data, std::uint32_t list, std::uint64_t iid, std::string_view text) {
    Protobuf one;
    one.varint(1, iid);
    one.text(2, text);
    data.message(list, one);
  }

  /// Defines all names for the whole file; interned numbers start at 1.
  void intern(Packets& packets) {
    Protobuf data;
    std::map<std::string, std::uint64_t> known;
    for (const std::string& name : event_names(shared_.trace, shared_.request.names)) {
      const auto [at, is_new] = known.try_emplace(name, known.size() + 1);
      if (is_new) entry(data, interned::kNames, at->second, name);
      shared_.names.push_back(at->second);
    }
    shared_.received_name = known.size() + 1;
    entry(data, interned::kNames, shared_.received_name, "received");
    std::uint64_t iid = 0;
    for (const char* text : kCategoryTexts) entry(data, interned::kCategories, ++iid, text);
    iid = 0;
    for (const char* text : kAnnotationTexts) entry(data, interned::kAnnotationNames, ++iid, text);
    for (std::uint32_t site = 0; site < shared_.trace.sites.size(); ++site) {
      entry(data, interned::kStrings, 2 * site + 1, site_text(shared_.request.names, site));
      entry(data, interned::kStrings, 2 * site + 2, path_text(shared_.request.names, site));
    }
    shared_.samples.intern(data);
    Protobuf first;
    first.varint(packet::kSequenceFlags, packet::kCleared | packet::kNeedsState);
    first.message(packet::kInterned, data);
    packets.put(first);
  }

  /// Finds the messages that each event sends, and those whose receive it ends.
  void find_arrows() {
    const trace::Trace& trace = shared_.trace;
    shared_.leaving.resize(trace.ranks.size());
    shared_.coming.resize(trace.ranks.size());
    const TimesOfMessages all_times(trace, shared_.request.processes);
    const MessageOrder order(trace, shared_.request.processes);
    for (std::size_t index = 0; index < trace.messages.size(); ++index) {
      const MessageTimes times = all_times[index];
      if (!selected(shared_.request.selection, times) || times.received_ns == -1) continue;
      const trace::Message& message = trace.messages[index];
      if (trace.has(message.sender)) {
        const trace::Operation& send = trace.ranks[message.sender].operations[message.send];
        shared_.leaving[message.sender].push_back(
            {place(send.stream, send.started), order.number(index)});
      }
      if (trace.has(message.receiver)) {
        const trace::Rank& rank = trace.ranks[message.receiver];
        const trace::Operation& receive = rank.operations[message.receive];
        const trace::Event& call = rank.streams[receive.end_stream].events[receive.ended];
        shared_.coming[message.receiver].push_back({place(receive.end_stream, receive.ended),
                                                    order.number(index),
                                                    times.send_ns > call.begin});
      }
    }
    const auto by_event = [](const Arrow& arrow) { return std::pair(arrow.event, arrow.number); };
    for_each_index(trace.ranks.size(), [&](std::size_t rank) {
      std::ranges::sort(shared_.leaving[rank], {}, by_event);
      std::ranges::sort(shared_.coming[rank], {}, by_event);
    });
  }

  OutputFile out_;
  Shared shared_;
};

}  // namespace

Result write_perfetto(const Request& request) {
  Result result;
  result.bytes = PerfettoExport(request).write();
  result.next = "open it in ui.perfetto.dev (the page reads it locally, without an upload)";
  return result;
}

}  // namespace plait::exports
