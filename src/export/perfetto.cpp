// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace in Perfetto's protobuf format: tracks, slices with interned names, flows for
// messages.
//
// Field numbers are those of Perfetto's protos/perfetto/trace: trace.proto, trace_packet.proto,
// track_event/*.proto, interned_data.proto.
#include <algorithm>
#include <limits>
#include <map>

#include "export/event_text.hpp"
#include "export/export.hpp"
#include "export/message_times.hpp"
#include "export/nesting.hpp"
#include "export/output_file.hpp"
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

class PerfettoExport {
public:
  explicit PerfettoExport(const Request& request)
      : request_(request),
        trace_(request.trace),
        samples_(request),
        out_(request.output, request.replace) {}

  std::uint64_t write() {
    intern();
    find_arrows();
    for (std::uint32_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      if (request_.selection.has_rank(rank)) write_rank(rank);
    }
    samples_.for_samples([this](std::int64_t ns, const Protobuf& sample) {
      timed_packet(ns, packet::kPerfSample, sample);
    });
    return out_.close();
  }

private:
  static constexpr std::uint64_t kSequenceId = 1;

  static std::uint64_t rank_track(std::uint32_t rank) { return (std::uint64_t{rank} + 1) << 24U; }
  static std::uint64_t thread_track(std::uint32_t rank, std::size_t thread) {
    return rank_track(rank) + thread + 1;
  }

  void put(Protobuf& content) {
    content.varint(packet::kSequence, kSequenceId);
    Protobuf trace;
    trace.message(1, content);
    out_.put(trace.bytes());
  }

  static void entry(Protobuf& data, std::uint32_t list, std::uint64_t iid, std::string_view text) {
    Protobuf one;
    one.varint(1, iid);
    one.text(2, text);
    data.message(list, one);
  }

  /// Defines all names for the whole file; interned numbers start at 1.
  void intern() {
    Protobuf data;
    std::map<std::string, std::uint64_t> known;
    for (const std::string& name : event_names(trace_, request_.names)) {
      const auto [at, is_new] = known.try_emplace(name, known.size() + 1);
      if (is_new) entry(data, interned::kNames, at->second, name);
      names_.push_back(at->second);
    }
    received_name_ = known.size() + 1;
    entry(data, interned::kNames, received_name_, "received");
    std::uint64_t iid = 0;
    for (const char* text : kCategoryTexts) entry(data, interned::kCategories, ++iid, text);
    iid = 0;
    for (const char* text : kAnnotationTexts) entry(data, interned::kAnnotationNames, ++iid, text);
    for (std::uint32_t site = 0; site < trace_.sites.size(); ++site) {
      entry(data, interned::kStrings, 2 * site + 1, site_text(request_.names, site));
      entry(data, interned::kStrings, 2 * site + 2, path_text(request_.names, site));
    }
    samples_.intern(data);
    Protobuf first;
    first.varint(packet::kSequenceFlags, packet::kCleared | packet::kNeedsState);
    first.message(packet::kInterned, data);
    put(first);
  }

  static std::uint64_t category_of(trace::EventKind kind) {
    const auto text = category(kind);
    return static_cast<std::uint64_t>(std::ranges::find(kCategoryTexts, text) - kCategoryTexts) + 1;
  }

  struct Arrow {
    std::uint64_t event;  ///< stream and index
    std::uint64_t message;
  };
  static std::uint64_t place(std::uint32_t stream, std::uint32_t event) {
    return std::uint64_t{stream} << 32U | event;
  }

  /// Finds the messages that each event sends, and those whose receive it ends.
  void find_arrows() {
    leaving_.resize(trace_.ranks.size());
    coming_.resize(trace_.ranks.size());
    for (std::size_t number = 0; number < trace_.messages.size(); ++number) {
      const trace::Message& message = trace_.messages[number];
      if (!selected(request_.selection, message_times(trace_, message))) continue;
      const trace::Operation& send = trace_.ranks[message.sender].operations[message.send];
      const trace::Operation& receive = trace_.ranks[message.receiver].operations[message.receive];
      if (receive.ended == kNone) continue;
      leaving_[message.sender].push_back({place(send.stream, send.started), number});
      coming_[message.receiver].push_back({place(receive.end_stream, receive.ended), number});
    }
    for (auto* all : {&leaving_, &coming_}) {
      for (std::vector<Arrow>& of : *all) std::ranges::stable_sort(of, {}, &Arrow::event);
    }
  }

  template <class Use>
  static void for_arrows(const std::vector<Arrow>& arrows, std::uint64_t event, Use use) {
    for (auto at = std::ranges::lower_bound(arrows, event, {}, &Arrow::event);
         at != arrows.end() && at->event == event; ++at) {
      use(at->message);
    }
  }

  void write_rank(std::uint32_t rank) {
    const trace::Rank& of = trace_.ranks[rank];
    Protobuf process;
    process.varint(process_descriptor::kPid, PerfettoSamples::process_number(rank));
    process.text(process_descriptor::kName, rank_text(of));
    Protobuf track;
    track.varint(track_descriptor::kUuid, rank_track(rank));
    track.message(track_descriptor::kProcess, process);
    descriptor(track);
    for (std::uint32_t thread = 0; thread < of.streams.size(); ++thread) {
      const trace::Stream& stream = of.streams[thread];
      Protobuf lane;
      lane.varint(track_descriptor::kUuid, thread_track(rank, thread));
      lane.varint(track_descriptor::kParent, rank_track(rank));
      if (const Protobuf sampled = samples_.thread_of(rank, thread); !sampled.bytes().empty()) {
        lane.message(track_descriptor::kThread, sampled);
      }
      lane.text(track_descriptor::kName, thread_text(stream));
      descriptor(lane);
      walk_nested(
          stream, request_.selection,
          [&](std::uint32_t index) { begin(rank, thread, index, stream.events[index]); },
          [&](std::uint32_t index, std::int64_t end_ns) {
            late_arrows(rank, thread, index, stream.events[index], end_ns);
            end(rank, thread, end_ns);
          });
    }
    std::size_t next = of.streams.size();
    for (const Protobuf& thread : samples_.other_threads(rank)) {
      Protobuf lane;
      lane.varint(track_descriptor::kUuid, thread_track(rank, next++));
      lane.message(track_descriptor::kThread, thread);
      descriptor(lane);
    }
  }

  void descriptor(const Protobuf& track) {
    Protobuf content;
    content.message(packet::kTrackDescriptor, track);
    put(content);
  }

  /// A packet at a time with one field.
  void timed_packet(std::int64_t ns, std::uint32_t field, const Protobuf& value) {
    content_.clear();
    content_.varint(packet::kTimestamp, static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0)));
    content_.varint(packet::kSequenceFlags, packet::kNeedsState);
    content_.message(field, value);
    put(content_);
  }

  void event_packet(std::int64_t ns, const Protobuf& event) {
    timed_packet(ns, packet::kTrackEvent, event);
  }

  void begin(std::uint32_t rank, std::uint32_t thread, std::uint32_t index,
             const trace::Event& event) {
    const trace::Shape& shape = trace_.shape(event);
    event_.clear();
    event_.varint(track_event::kType, track_event::kSliceBegin);
    event_.varint(track_event::kTrack, thread_track(rank, thread));
    event_.varint(track_event::kCategory, category_of(shape.kind));
    event_.varint(track_event::kName, names_[event.shape]);
    annotate(event, shape);
    for_arrows(leaving_[rank], place(thread, index),
               [&](std::uint64_t message) { event_.fixed64(track_event::kFlow, message + 1); });
    for_arrows(coming_[rank], place(thread, index), [&](std::uint64_t message) {
      if (sent_at(message) <= event.begin) event_.fixed64(track_event::kFlowEnd, message + 1);
    });
    event_packet(event.begin, event_);
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

  [[nodiscard]] std::int64_t sent_at(std::uint64_t message) const {
    return message_times(trace_, trace_.messages[message]).send_ns;
  }

  /// A flow must not end before it begins. The flow of a message that was sent after the receiving
  /// call began ends in an instant at the end of that call.
  void late_arrows(std::uint32_t rank, std::uint32_t thread, std::uint32_t index,
                   const trace::Event& event, std::int64_t end_ns) {
    event_.clear();
    bool late = false;
    for_arrows(coming_[rank], place(thread, index), [&](std::uint64_t message) {
      if (sent_at(message) <= event.begin) return;
      if (!late) {
        event_.varint(track_event::kType, track_event::kInstant);
        event_.varint(track_event::kTrack, thread_track(rank, thread));
        event_.varint(track_event::kCategory, std::size(kCategoryTexts));
        event_.varint(track_event::kName, received_name_);
      }
      late = true;
      event_.fixed64(track_event::kFlowEnd, message + 1);
    });
    if (late) event_packet(end_ns, event_);
  }

  void end(std::uint32_t rank, std::uint32_t thread, std::int64_t ns) {
    event_.clear();
    event_.varint(track_event::kType, track_event::kSliceEnd);
    event_.varint(track_event::kTrack, thread_track(rank, thread));
    event_packet(ns, event_);
  }

  const Request& request_;
  const trace::Trace& trace_;
  PerfettoSamples samples_;
  OutputFile out_;
  std::vector<std::uint64_t> names_;  ///< by shape
  std::uint64_t received_name_ = 0;
  std::vector<std::vector<Arrow>> leaving_, coming_;  ///< by rank
  Protobuf event_, annotation_, content_;
};

}  // namespace

Result write_perfetto(const Request& request) {
  Result result;
  result.bytes = PerfettoExport(request).write();
  result.next = "open it in ui.perfetto.dev (the page reads it locally, without an upload)";
  return result;
}

}  // namespace plait::exports
