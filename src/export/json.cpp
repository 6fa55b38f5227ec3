// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace as one JSON file; docs/schemas/trace-1.schema.json describes it.
#include "base/json.hpp"

#include "export/event_text.hpp"
#include "export/export.hpp"
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
      : request_(request), trace_(request.trace), out_(request.output, request.replace) {}

  std::uint64_t write() {
    out_.put("{\"schema\": \"plait-trace\", \"schema_version\": 1,\n");
    definitions();
    shapes();
    ranks();
    messages();
    collectives();
    out_.print("\"unmatched_sends\": {}, \"unmatched_receives\": {}, \"clock_error_s\": {},\n",
               trace_.unmatched_sends, trace_.unmatched_receives, trace_.clock_error_s);
    out_.print("\"problems\": {}}}\n", json_text(json(trace_.problems)));
    return out_.close();
  }

private:
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
    const char* separator = "";
    for (std::uint32_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      if (!request_.selection.has_rank(rank)) continue;
      const trace::Rank& of = trace_.ranks[rank];
      out_.print(
          "{}\n{{\"rank\": {}, \"host\": {}, \"begin_ns\": {}, \"end_ns\": {}, \"complete\": {}, "
          "\"lost_events\": {}, \"overwritten_events\": {}, \"overhead_ns_per_event\": {}, "
          "\"streams\": [",
          separator, of.world_rank, json_text(of.host), of.begin, of.end, of.complete,
          of.lost_events, of.overwritten_events, of.overhead_ns_per_event);
      streams(of);
      out_.put("]}");
      separator = ",";
    }
    out_.put("],\n");
  }

  void streams(const trace::Rank& rank) {
    const char* separator = "";
    for (const trace::Stream& stream : rank.streams) {
      out_.print("{}\n{{\"tid\": {}, \"omp_thread\": {}, \"cpu_waits\": [", separator, stream.tid,
                 stream.omp_thread);
      const char* comma = "";
      for (const trace::CpuWait& wait : stream.cpu_waits) {
        if (!request_.selection.has(wait.at)) continue;
        out_.print("{}[{},{},{}]", comma, wait.at, wait.before_ns, wait.inside_ns);
        comma = ",";
      }
      out_.put("], \"events\": [");
      comma = "";
      for (const trace::Event& event : stream.events) {
        if (!request_.selection.has(event)) continue;
        out_.print("{}\n[{},{},{},{}]", comma, event.begin, event.end, event.shape, event.bytes);
        comma = ",";
      }
      out_.put("]}");
      separator = ",";
    }
  }

  void messages() {
    out_.put(
        "\"message_columns\": [\"sender\", \"receiver\", \"bytes\", \"tag\", \"comm\", "
        "\"send_ns\", \"sent_ns\", \"receive_ns\", \"received_ns\"],\n\"messages\": [");
    const char* comma = "";
    for (const trace::Message& message : trace_.messages) {
      const MessageTimes times = message_times(trace_, message);
      if (!selected(request_.selection, times)) continue;
      out_.print("{}\n[{},{},{},{},{},{},{},{},{}]", comma, times.sender, times.receiver,
                 times.bytes, times.tag, times.comm, times.send_ns, times.sent_ns, times.receive_ns,
                 times.received_ns);
      comma = ",";
    }
    out_.put("],\n");
  }

  void collectives() {
    out_.put(
        "\"collective_columns\": [\"comm\", \"ordinal\", \"shape\", \"consistent\", \"members\"],\n"
        "\"member_columns\": [\"rank\", \"begin_ns\", \"end_ns\", \"bytes_sent\", "
        "\"bytes_received\"],\n\"collectives\": [");
    const char* comma = "";
    for (const trace::Collective& collective : trace_.collectives) {
      if (collective.shape == kNone) continue;
      const std::string members = members_of(collective);
      if (members.empty()) continue;
      out_.print("{}\n[{},{},{},{},[{}]]", comma, collective.comm, collective.ordinal,
                 collective.shape, collective.consistent, members);
      comma = ",";
    }
    out_.put("],\n");
  }

  std::string members_of(const trace::Collective& collective) const {
    std::string text;
    for_members(trace_, collective, request_.selection,
                [&](std::uint32_t rank, const trace::Operation& of) {
                  text += fmt::format("{}[{},{},{},{},{}]", text.empty() ? "" : ",", rank,
                                      trace_.start(rank, of).begin, end_of(trace_.ranks[rank], of),
                                      of.bytes, of.capacity);
                });
    return text;
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
