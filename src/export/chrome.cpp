// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace in Chrome's Trace Event Format (JSON): slices, and arrows for messages.
#include <algorithm>

#include "base/json.hpp"
#include "export/event_text.hpp"
#include "export/export.hpp"
#include "export/message_times.hpp"
#include "export/nesting.hpp"
#include "export/output_file.hpp"
#include "export/samples.hpp"
#include "plait/error.hpp"

namespace plait::exports {
namespace {

using trace::kNone;

class ChromeExport {
public:
  explicit ChromeExport(const Request& request)
      : request_(request), trace_(request.trace), out_(request.output, request.replace) {
    for (const std::string& name : event_names(trace_, request.names))
      names_.push_back(json_text(name));
    for (std::uint32_t site = 0; site < trace_.sites.size(); ++site) {
      const std::string name = site_text(request.names, site);
      if (name.empty()) {
        sites_.emplace_back();
        continue;
      }
      sites_.push_back(fmt::format(",\"site\":{},\"call_path\":{}", json_text(name),
                                   json_text(path_text(request.names, site))));
    }
  }

  std::uint64_t write() {
    out_.put("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    for (std::uint32_t rank = 0; rank < trace_.ranks.size(); ++rank) {
      if (request_.selection.has_rank(rank)) write_rank(rank);
    }
    if (request_.samples != nullptr) write_samples();
    write_messages();
    out_.put("\n]}\n");
    return out_.close();
  }

private:
  void next() {
    out_.put(first_ ? "\n" : ",\n");
    first_ = false;
    if (request_.limit_bytes == 0 || out_.size() <= request_.limit_bytes) return;
    throw Error(
        request_.output.string(),
        fmt::format("the output would exceed {} MB, which viewers of this format cannot load",
                    request_.limit_bytes / 1000000),
        "export less with --from, --until or --ranks, raise --limit, or use --to perfetto");
  }

  void name(const char* what, std::uint32_t rank, std::size_t thread, const std::string& text) {
    next();
    out_.print("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}}}",
               what, rank, thread, json_text(text));
  }

  void write_rank(std::uint32_t rank) {
    const trace::Rank& of = trace_.ranks[rank];
    name("process_name", rank, 0, rank_text(of));
    for (std::size_t thread = 0; thread < of.streams.size(); ++thread) {
      const trace::Stream& stream = of.streams[thread];
      name("thread_name", rank, thread, thread_text(stream));
      walk_nested(
          stream, request_.selection,
          [&](std::uint32_t index) { slice(rank, thread, stream.events[index]); },
          [](std::uint32_t, std::int64_t) {});
    }
  }

  void slice(std::uint32_t rank, std::size_t thread, const trace::Event& event) {
    const trace::Shape& shape = trace_.shape(event);
    next();
    out_.print(
        "{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{}.{:03},"
        "\"dur\":{}.{:03},\"args\":{{\"bytes\":{}",
        names_[event.shape], category(shape.kind), rank, thread, event.begin / 1000,
        event.begin % 1000, (event.end - event.begin) / 1000, (event.end - event.begin) % 1000,
        event.bytes);
    if (shape.peer >= 0) out_.print(",\"peer\":{}", shape.peer);
    if (has_tag(shape.kind) && shape.tag != PLAIT_ANY_TAG) out_.print(",\"tag\":{}", shape.tag);
    if (shape.comm != kNone) out_.print(",\"comm\":{}", shape.comm);
    if (has_site(shape.kind) && shape.site < sites_.size()) {
      out_.put(sites_[shape.site]);
    }
    out_.put("}}");
  }

  /// Samples as instants of their thread; threads without events come after those with events.
  void write_samples() {
    const samples::CallTree& tree = request_.samples->tree;
    std::vector<std::string> stacks(tree.nodes.size());
    std::vector<std::size_t> threads;  // by rank, the next number of a thread without events
    for (const trace::Rank& rank : trace_.ranks) threads.push_back(rank.streams.size());
    for (const samples::SampledLane& lane : request_.samples->lanes) {
      if (!request_.selection.has_rank(lane.rank)) continue;
      std::size_t thread = lane.stream;
      if (lane.stream == kNone) {
        thread = threads[lane.rank]++;
        name("thread_name", lane.rank, thread, thread_text(lane.tid));
      }
      for (const samples::PlacedSample& of : lane.samples) {
        if (!is_exported(request_.selection, of)) continue;
        std::string& stack = stacks[static_cast<std::size_t>(of.node)];
        if (stack.empty()) stack = sample_text(tree, of.node);
        next();
        out_.print(
            "{{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"sample\",\"pid\":{},\"tid\":{},"
            "\"ts\":{}.{:03},{},\"state\":\"{}\",\"samples\":{}}}}}",
            lane.rank, thread, of.at / 1000, of.at % 1000, stack,
            samples::kStateNames[static_cast<std::size_t>(of.state)], of.samples);
      }
    }
  }

  /// The name of a sample's function, and its stack as the first argument.
  static std::string sample_text(const samples::CallTree& tree, int node) {
    const samples::CallNode& one = tree.nodes[static_cast<std::size_t>(node)];
    const samples::Function& function = tree.functions[static_cast<std::size_t>(one.function)];
    return fmt::format("\"name\":{},\"args\":{{\"stack\":{}", json_text(function.short_name),
                       json_text(stack_text(tree, node)));
  }

  /// An arrow must begin and end within slices: in the call that sends, and in the call that ends
  /// the receive but not before the send.
  void write_messages() {
    for (std::size_t number = 0; number < trace_.messages.size(); ++number) {
      const trace::Message& message = trace_.messages[number];
      const MessageTimes times = message_times(trace_, message);
      if (!selected(request_.selection, times)) continue;
      const trace::Rank& receiver = trace_.ranks[message.receiver];
      const trace::Operation& send = trace_.ranks[message.sender].operations[message.send];
      const trace::Operation& receive = receiver.operations[message.receive];
      if (receive.ended == kNone) continue;
      const trace::Event& last = receiver.streams[receive.end_stream].events[receive.ended];
      arrow('s', number, message.sender, send.stream, times.send_ns);
      arrow('f', number, message.receiver, receive.end_stream,
            std::min(std::max(last.begin, times.send_ns), last.end));
    }
  }

  void arrow(char phase, std::size_t number, std::uint32_t rank, std::uint32_t thread,
             std::int64_t ns) {
    next();
    out_.print(
        "{{\"ph\":\"{}\",{}\"name\":\"message\",\"cat\":\"message\",\"id\":{},\"pid\":{},"
        "\"tid\":{},\"ts\":{}.{:03}}}",
        phase, phase == 'f' ? "\"bp\":\"e\"," : "", number, rank, thread, ns / 1000, ns % 1000);
  }

  const Request& request_;
  const trace::Trace& trace_;
  OutputFile out_;
  std::vector<std::string> names_, sites_;
  bool first_ = true;
};

}  // namespace

Result write_chrome(const Request& request) {
  Result result;
  result.bytes = ChromeExport(request).write();
  result.next = "open it in ui.perfetto.dev, chrome://tracing or speedscope.app";
  return result;
}

}  // namespace plait::exports
