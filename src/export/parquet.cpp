// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace as two Parquet tables: events.parquet and messages.parquet.
#include <map>

#include "export/event_text.hpp"
#include "export/export.hpp"
#include "export/message_times.hpp"
#include "export/parquet_file.hpp"

namespace plait::exports {
namespace {

using trace::kNone;

/// Numbers different texts.
class Texts {
public:
  std::int64_t number_of(std::string text) {
    const auto [at, is_new] = known_.try_emplace(text, static_cast<std::int64_t>(all_.size()));
    if (is_new) all_.push_back(std::move(text));
    return at->second;
  }
  [[nodiscard]] std::vector<std::string> all() const {
    // A dictionary must not be empty.
    return all_.empty() ? std::vector<std::string>{""} : all_;
  }

private:
  std::map<std::string, std::int64_t> known_;
  std::vector<std::string> all_;
};

/// The columns of a row that depend on its shape only.
struct ShapeRow {
  std::int64_t kind = 0, name = 0, site = 0, path = 0;
};

std::int64_t or_minus_one(std::uint32_t index) {
  return index == kNone ? -1 : std::int64_t{index};
}

std::uint64_t write_events(const Request& request) {
  const trace::Trace& trace = request.trace;
  Texts kinds, names, sites, paths;
  std::vector<ShapeRow> rows;
  for (const trace::Shape& shape : trace.shapes) {
    const bool is_call = has_site(shape.kind);
    rows.push_back({kinds.number_of(std::string(trace::kind_name(shape.kind))),
                    names.number_of(event_name(trace, request.names, shape)),
                    sites.number_of(is_call ? site_text(request.names, shape.site) : ""),
                    paths.number_of(is_call ? path_text(request.names, shape.site) : "")});
  }
  ParquetFile file(request.output / "events.parquet", request.replace,
                   {{"rank", ColumnType::int32, {}},
                    {"thread", ColumnType::int32, {}},
                    {"begin_ns", ColumnType::int64, {}},
                    {"end_ns", ColumnType::int64, {}},
                    {"kind", ColumnType::text, {}, kinds.all()},
                    {"name", ColumnType::text, {}, names.all()},
                    {"comm", ColumnType::int32, {}},
                    {"peer", ColumnType::int32, {}},
                    {"tag", ColumnType::int32, {}},
                    {"bytes", ColumnType::int64, {}},
                    {"call_path", ColumnType::text, {}, paths.all()},
                    {"site", ColumnType::text, {}, sites.all()}});
  for (std::uint32_t rank = 0; rank < trace.ranks.size(); ++rank) {
    if (!request.selection.has_rank(rank)) continue;
    std::int64_t thread = 0;
    for (const trace::Stream& stream : trace.ranks[rank].streams) {
      for (const trace::Event& event : stream.events) {
        if (!request.selection.has(event)) continue;
        const trace::Shape& shape = trace.shape(event);
        const ShapeRow& row = rows[event.shape];
        file.row({rank, thread, event.begin, event.end, row.kind, row.name,
                  or_minus_one(shape.comm), shape.peer, shape.tag,
                  static_cast<std::int64_t>(event.bytes), row.path, row.site});
      }
      ++thread;
    }
  }
  return file.close({{"plait.schema", "plait-events"}, {"plait.schema_version", "1"}});
}

std::uint64_t write_messages(const Request& request) {
  const trace::Trace& trace = request.trace;
  ParquetFile file(request.output / "messages.parquet", request.replace,
                   {{"sender", ColumnType::int32, {}},
                    {"receiver", ColumnType::int32, {}},
                    {"comm", ColumnType::int32, {}},
                    {"tag", ColumnType::int32, {}},
                    {"bytes", ColumnType::int64, {}},
                    {"send_ns", ColumnType::int64, {}},
                    {"sent_ns", ColumnType::int64, {}},
                    {"receive_ns", ColumnType::int64, {}},
                    {"received_ns", ColumnType::int64, {}}});
  for (const trace::Message& message : trace.messages) {
    const MessageTimes times = message_times(trace, message);
    if (!selected(request.selection, times)) continue;
    file.row({times.sender, times.receiver, or_minus_one(times.comm), times.tag,
              static_cast<std::int64_t>(times.bytes), times.send_ns, times.sent_ns,
              times.receive_ns, times.received_ns});
  }
  return file.close({{"plait.schema", "plait-messages"}, {"plait.schema_version", "1"}});
}

}  // namespace

Result write_parquet(const Request& request) {
  require_folder(request.output, request.replace);
  Result result;
  result.bytes = write_events(request) + write_messages(request);
  result.next = fmt::format("python3 -c 'import pandas; print(pandas.read_parquet(\"{}\"))'",
                            (request.output / "messages.parquet").string());
  return result;
}

}  // namespace plait::exports
