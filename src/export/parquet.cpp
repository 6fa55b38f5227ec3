// SPDX-License-Identifier: BSD-3-Clause
// Writes a trace as two Parquet tables: events.parquet and messages.parquet.
#include <map>
#include <optional>

#include "base/combine.hpp"
#include "export/event_text.hpp"
#include "export/export.hpp"
#include "export/in_turn.hpp"
#include "export/message_order.hpp"
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

/// A row of the events, in which a shape is instead of the columns that it determines.
struct EventRow {
  std::int64_t begin = 0, end = 0;
  std::uint64_t bytes = 0;
  std::uint32_t rank = 0, thread = 0, shape = 0;
};

/// Calls use(row) for the selected events that are here.
template <class Use>
void for_events(const Request& request, Use use) {
  const IndexRange here = request.trace.ranks_here();
  for (auto rank = static_cast<std::uint32_t>(here.first); rank < here.last; ++rank) {
    if (!request.selection.has_rank(rank)) continue;
    std::uint32_t thread = 0;
    for (const trace::Stream& stream : request.trace.ranks[rank].streams) {
      for (const trace::Event& event : stream.events) {
        if (!request.selection.has(event)) continue;
        use(EventRow{event.begin, event.end, event.bytes, rank, thread, event.shape});
      }
      ++thread;
    }
  }
}

std::int64_t or_minus_one(std::uint32_t index) {
  return index == kNone ? -1 : std::int64_t{index};
}

/// A table of events.
class EventTable {
public:
  explicit EventTable(const Request& request) : trace_(request.trace) {
    Texts kinds, names, sites, paths;
    for (const trace::Shape& shape : trace_.shapes) {
      const bool is_call = has_site(shape.kind);
      rows_.push_back({kinds.number_of(std::string(trace::kind_name(shape.kind))),
                       names.number_of(event_name(trace_, request.names, shape)),
                       sites.number_of(is_call ? site_text(request.names, shape.site) : ""),
                       paths.number_of(is_call ? path_text(request.names, shape.site) : "")});
    }
    file_.emplace(request.output / "events.parquet", request.replace,
                  std::vector<Column>{{"rank", ColumnType::int32, {}},
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
  }

  void add(const EventRow& of) {
    const trace::Shape& shape = trace_.shapes[of.shape];
    const ShapeRow& row = rows_[of.shape];
    file_->row({of.rank, of.thread, of.begin, of.end, row.kind, row.name, or_minus_one(shape.comm),
                shape.peer, shape.tag, static_cast<std::int64_t>(of.bytes), row.path, row.site});
  }

  std::uint64_t close() {
    return file_->close({{"plait.schema", "plait-events"}, {"plait.schema_version", "1"}});
  }

private:
  const trace::Trace& trace_;
  std::vector<ShapeRow> rows_;
  std::optional<ParquetFile> file_;
};

/// A table of messages.
class MessageTable {
public:
  explicit MessageTable(const Request& request)
      : file_(request.output / "messages.parquet", request.replace,
              {{"sender", ColumnType::int32, {}},
               {"receiver", ColumnType::int32, {}},
               {"comm", ColumnType::int32, {}},
               {"tag", ColumnType::int32, {}},
               {"bytes", ColumnType::int64, {}},
               {"send_ns", ColumnType::int64, {}},
               {"sent_ns", ColumnType::int64, {}},
               {"receive_ns", ColumnType::int64, {}},
               {"received_ns", ColumnType::int64, {}}}) {}

  void add(const MessageTimes& of) {
    file_.row({of.sender, of.receiver, or_minus_one(of.comm), of.tag,
               static_cast<std::int64_t>(of.bytes), of.send_ns, of.sent_ns, of.receive_ns,
               of.received_ns});
  }

  std::uint64_t close() {
    return file_.close({{"plait.schema", "plait-messages"}, {"plait.schema_version", "1"}});
  }

private:
  ParquetFile file_;
};

/// Collective if there are processes. Process 0 makes a table of the rows of all.
/// @param for_own  see use_rows_in_turn()
/// @returns the size of its file, on process 0
template <class Table, class Row, class ForOwn>
std::uint64_t write_table(const Request& request, ForOwn for_own) {
  std::optional<Table> table;
  if (rank_of(request.processes) == 0) table.emplace(request);
  use_rows_in_turn<Row>(request.processes, for_own, [&](const Row& row) { table->add(row); });
  return table ? table->close() : 0;
}

std::uint64_t write_messages(const Request& request) {
  const TimesOfMessages all(request.trace, request.processes);
  const MessageOrder order(request.trace, request.processes);
  return write_table<MessageTable, MessageTimes>(request, [&](auto use) {
    for (std::size_t place = 0; place < order.size(); ++place) {
      const MessageTimes times = all[order[place]];
      if (selected(request.selection, times)) use(times);
    }
  });
}

}  // namespace

Result write_parquet(const Request& request) {
  if (rank_of(request.processes) == 0) require_folder(request.output, request.replace);
  Result result;
  result.bytes =
      write_table<EventTable, EventRow>(request, [&](auto use) { for_events(request, use); });
  result.bytes += write_messages(request);
  result.next = fmt::format("python3 -c 'import pandas; print(pandas.read_parquet(\"{}\"))'",
                            (request.output / "messages.parquet").string());
  return result;
}

}  // namespace plait::exports
