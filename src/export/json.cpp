// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace as one JSON file; docs/schemas/trace-1.schema.json describes it.
#include "base/json.hpp"

#include <algorithm>
#include <iterator>

#include "export/event_text.hpp"
#include "export/export.hpp"
#include "export/in_order.hpp"
#include "export/in_turn.hpp"
#include "export/member_texts.hpp"
#include "export/message_order.hpp"
#include "export/message_times.hpp"
#include "export/output_file.hpp"
#include "trace/frame_text.hpp"
#include "trace/python_frame.hpp"

namespace plait::exports {
namespace {

using nlohmann::json;
using trace::kNone;

json index_or_null(std::uint32_t index) {
  return index == kNone ? json() : json(index);
}

json address(const trace::CodeAddress& at) {
  const std::optional<trace::Frame> python = trace::python_frame(at);
  json value = {
      {"module", python ? python->file : at.module.text()}, {"offset", at.offset}, {"pc", at.pc}};
  if (python) value["function"] = python->function;
  return value;
}

/// The frames of a call path by name.
json named(const std::vector<trace::Frame>& path) {
  json frames = json::array();
  for (const trace::Frame& frame : path) {
    frames.push_back({{"function", frame.function},
                      {"name", trace::frame_name(frame)},
                      {"file", frame.file},
                      {"line", frame.line},
                      {"module", frame.module},
                      {"offset", frame.offset}});
  }
  return frames;
}

class JsonExport {
public:
  explicit JsonExport(const Request& request)
      : request_(request),
        trace_(request.trace),
        out_(request.output, request.replace, request.processes) {}

  std::uint64_t write() {
    out_.put("{\"schema\": \"plait-trace\", \"schema_version\": 1,\n");
    if (rank_of(request_.processes) == 0) {
      definitions();
      shapes();
    }
    ranks();
    messages();
    collectives();
    out_.print("\"unmatched_sends\": {}, \"unmatched_receives\": {}, \"clock_error_s\": {},\n",
               trace_.unmatched_sends, trace_.unmatched_receives, trace_.clock_error_s);
    out_.print("\"problems\": {}}}\n", json_text(json(trace_.problems)));
    return out_.close();
  }

private:
  static constexpr std::size_t kTogether = 1 << 14;  ///< items of a list

  void definitions() {
    out_.print("\"functions\": {},\n", json_text(json(trace_.functions)));
    out_.print("\"nodes\": {},\n", json_text(json(trace_.nodes)));
    json comms = json::array(), regions = json::array(), sites = json::array();
    for (const trace::Comm& comm : trace_.comms) {
      comms.push_back({{"name", comm.name},
                       {"members", comm.members},
                       {"remote_members", comm.remote_members}});
    }
    for (std::size_t i = 0; i < trace_.regions.size(); ++i) {
      const trace::TraceRegion& region = trace_.regions[i];
      regions.push_back({{"name", region.name},
                         {"place", request_.names.regions.at(i)},
                         {"address", address(region.address)},
                         {"parent", index_or_null(region.parent)}});
    }
    for (const trace::TraceSite& site : trace_.sites) {
      json& frames = sites.emplace_back(json::array());
      for (const trace::CodeAddress& frame : site.frames) frames.push_back(address(frame));
    }
    json paths = json::array();
    for (std::uint32_t site = 0; site < trace_.sites.size(); ++site) {
      paths.push_back({{"name", site_text(request_.names, site)},
                       {"frames", named(request_.names.paths.at(site))}});
    }
    out_.print("\"comms\": {},\n\"regions\": {},\n\"sites\": {},\n\"call_paths\": {},\n",
               json_text(comms), json_text(regions), json_text(sites), json_text(paths));
  }

  void shapes() {
    out_.put("\"shapes\": [");
    const char* separator = "";
    for (const trace::Shape& shape : trace_.shapes) {
      const bool call = has_site(shape.kind);
      const json entry = {{"kind", trace::kind_name(shape.kind)},
                          {"flags", shape.flags},
                          {"function", index_or_null(shape.function)},
                          {"site", call ? index_or_null(shape.site) : json()},
                          {"region", call ? json() : index_or_null(shape.site)},
                          {"comm", index_or_null(shape.comm)},
                          {"peer", shape.peer},
                          {"tag", shape.tag},
                          {"operation", shape.operation}};
      out_.print("{}\n{}", separator, json_text(entry));
      separator = ",";
    }
    out_.put("],\n");
  }

  void ranks() {
    out_.put(
        "\"event_columns\": [\"begin_ns\", \"end_ns\", \"shape\", \"bytes\"],\n"
        "\"cpu_wait_columns\": [\"at_ns\", \"before_ns\", \"inside_ns\"],\n\"ranks\": [");
    const std::vector<Part> all = parts();
    std::uint32_t first = 0;
    while (first < trace_.ranks.size() && !request_.selection.has_rank(first)) ++first;
    put_in_turn(out_, request_.processes, [&](Sink& together) {
      put_in_order(
          together, all.size(), [&](std::size_t i) { return all[i].last - all[i].first; },
          [&](Sink& out, std::size_t i) { write_part(out, all[i], all[i].rank == first); });
    });
    out_.put("],\n");
  }

  /// Some events of a stream. Of a rank without streams: nothing.
  struct Part {
    std::uint32_t rank = 0;
    std::size_t stream = 0;
    std::size_t first = 0, last = 0;  ///< events
    std::size_t chosen = 0;           ///< the first selected event of the stream
  };

  /// All streams of the selected ranks that are here.
  [[nodiscard]] std::vector<Part> parts() const {
    constexpr std::size_t kEvents = 1 << 16;
    std::vector<Part> all;
    const IndexRange here = trace_.ranks_here();
    for (auto rank = static_cast<std::uint32_t>(here.first); rank < here.last; ++rank) {
      if (!request_.selection.has_rank(rank)) continue;
      const std::vector<trace::Stream>& streams = trace_.ranks[rank].streams;
      if (streams.empty()) all.push_back({.rank = rank});
      for (std::size_t stream = 0; stream < streams.size(); ++stream) {
        const std::vector<trace::Event>& events = streams[stream].events;
        const auto chosen = std::ranges::find_if(
            events, [&](const trace::Event& event) { return request_.selection.has(event); });
        std::size_t first = 0;
        do {
          const std::size_t last = std::min(first + kEvents, events.size());
          all.push_back({rank, stream, first, last,
                         static_cast<std::size_t>(std::distance(events.begin(), chosen))});
          first = last;
        } while (first < events.size());
      }
    }
    return all;
  }

  void write_part(Sink& out, const Part& part, bool is_first) const {
    const trace::Rank& rank = trace_.ranks[part.rank];
    if (part.stream == 0 && part.first == 0) begin_rank(out, rank, is_first);
    if (!rank.streams.empty()) {
      const trace::Stream& stream = rank.streams[part.stream];
      if (part.first == 0) begin_stream(out, stream, part.stream == 0);
      for (std::size_t index = part.first; index < part.last; ++index) {
        const trace::Event& event = stream.events[index];
        if (!request_.selection.has(event)) continue;
        out.print("{}\n[{},{},{},{}]", index == part.chosen ? "" : ",", event.begin, event.end,
                  event.shape, event.bytes);
      }
      if (part.last < stream.events.size()) return;
      out.put("]}");
    }
    if (part.stream + 1 >= rank.streams.size()) out.put("]}");
  }

  static void begin_rank(Sink& out, const trace::Rank& of, bool is_first) {
    out.print(
        "{}\n{{\"rank\": {}, \"host\": {}, \"begin_ns\": {}, \"end_ns\": {}, \"complete\": {}, "
        "\"lost_events\": {}, \"overwritten_events\": {}, \"overhead_ns_per_event\": {}, "
        "\"streams\": [",
        is_first ? "" : ",", of.world_rank, json_text(of.host), of.begin, of.end, of.complete,
        of.lost_events, of.overwritten_events, of.overhead_ns_per_event);
  }

  void begin_stream(Sink& out, const trace::Stream& stream, bool is_first) const {
    out.print("{}\n{{\"tid\": {}, \"omp_thread\": {}, \"cpu_waits\": [", is_first ? "" : ",",
              stream.tid, stream.omp_thread);
    const char* comma = "";
    for (const trace::CpuWait& wait : stream.cpu_waits) {
      if (!request_.selection.has(wait.at)) continue;
      out.print("{}[{},{},{}]", comma, wait.at, wait.before_ns, wait.inside_ns);
      comma = ",";
    }
    out.put("], \"events\": [");
  }

  void messages() {
    out_.put(
        "\"message_columns\": [\"sender\", \"receiver\", \"bytes\", \"tag\", \"comm\", "
        "\"send_ns\", \"sent_ns\", \"receive_ns\", \"received_ns\"],\n\"messages\": [");
    const TimesOfMessages all(trace_, request_.processes);
    const MessageOrder order(trace_, request_.processes);
    put_list_in_turn(out_, request_.processes, order.size(), kTogether, [&](Sink& out, auto place) {
      const MessageTimes times = all[order[place]];
      if (!selected(request_.selection, times)) return;
      out.print(",\n[{},{},{},{},{},{},{},{},{}]", times.sender, times.receiver, times.bytes,
                times.tag, times.comm, times.send_ns, times.sent_ns, times.receive_ns,
                times.received_ns);
    });
    out_.put("],\n");
  }

  void collectives() {
    out_.put(
        "\"collective_columns\": [\"comm\", \"ordinal\", \"shape\", \"consistent\", \"members\"],\n"
        "\"member_columns\": [\"rank\", \"begin_ns\", \"end_ns\", \"bytes_sent\", "
        "\"bytes_received\"],\n\"collectives\": [");
    if (request_.processes == nullptr) {
      collectives_here();
    } else {
      collectives_of_all();
    }
    out_.put("],\n");
  }

  void collectives_here() {
    const std::size_t members =
        trace_.members.size() / std::max<std::size_t>(1, trace_.collectives.size());
    const std::size_t together = std::max<std::size_t>(1, kTogether / (members + 1));
    bool any = false;
    put_list(out_, trace_.collectives.size(), together, any, [&](Sink& out, std::size_t number) {
      Piece text;
      write_members(number, [&](std::uint32_t) -> Sink& { return text; });
      if (!text.bytes().empty()) write_collective(out, number, text.bytes());
    });
  }

  void collectives_of_all() {
    bool any = false;
    for_member_texts(
        trace_, *request_.processes,
        [&](std::uint32_t number, MemberTexts& texts) {
          write_members(number,
                        [&](std::uint32_t member) -> Sink& { return texts.about(number, member); });
        },
        [&](std::uint32_t number, const std::string& members) {
          Piece text;
          write_collective(text, number, members);
          out_.put(text.bytes().substr(any ? 0 : 1));
          any = true;
        });
  }

  /// Writes all members of a collective that are here, each behind a comma.
  /// @param about  about(member): where to
  template <class About>
  void write_members(std::size_t number, About about) const {
    const trace::Collective& collective = trace_.collectives[number];
    if (collective.shape == kNone) return;
    for_members(trace_, collective, request_.selection,
                [&](std::uint32_t member, std::uint32_t rank, const trace::Operation& of) {
                  about(member).print(",[{},{},{},{},{}]", rank, trace_.start(rank, of).begin,
                                      end_of(trace_.ranks[rank], of), of.bytes, of.capacity);
                });
  }

  void write_collective(Sink& out, std::size_t number, std::string_view members) const {
    const trace::Collective& of = trace_.collectives[number];
    out.print(",\n[{},{},{},{},[{}]]", of.comm, of.ordinal, of.shape, of.consistent,
              members.substr(1));
  }

  const Request& request_;
  const trace::Trace& trace_;
  OutputFile out_;
};

}  // namespace

Result write_json(const Request& request) {
  Result result;
  result.bytes = JsonExport(request).write();
  return result;
}

}  // namespace plait::exports
