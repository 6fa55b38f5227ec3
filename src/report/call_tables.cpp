// SPDX-License-Identifier: BSD-3-Clause
// The calls of all ranks by function, call site, communicator, partner and size.
#include "report/call_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "text/counted.hpp"

namespace plait::report {
namespace {

constexpr int kNoCommunicator = -1;

std::string class_name(plait_peer_class peer) {
  switch (peer) {
    case PLAIT_PEER_SELF:
      return "self";
    case PLAIT_PEER_NODE:
      return "same_node";
    case PLAIT_PEER_REMOTE:
      return "remote";
    case PLAIT_PEER_ANY:
      return "any";
    case PLAIT_PEER_NULL:
      return "null";
    case PLAIT_PEER_COLLECTIVE:
      return "collective";
    case PLAIT_PEER_NONE:
      break;
  }
  return "none";
}

template <class Row>
void add(Row& row, const trace::CallEntry& call) {
  row.count += call.count;
  row.bytes += call.bytes;
  row.time_s += call.time_s;
}

/// Rows by descending time.
template <class Row, class Key>
std::vector<Row> by_time(std::map<Key, Row>& rows) {
  std::vector<Row> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row& a, const Row& b) { return a.time_s > b.time_s; });
  return sorted;
}

/// Numbers the communicators of all processes; equal members and ordinal make one.
class Communicators {
public:
  explicit Communicators(const Job& job) {
    for (const trace::RankRecord* record : job.ranks) hosts_[record->world_rank] = record->host;
  }

  int id_of(const trace::RankRecord& record, std::uint32_t index) {
    if (index == 0 || index >= record.comms.size()) return kNoCommunicator;
    const trace::Communicator& comm = record.comms[index];
    const auto [at, is_new] = ids_.try_emplace(std::tuple(comm.members_hash, comm.ordinal),
                                               static_cast<int>(rows.size()));
    if (is_new) {
      const int size = static_cast<int>(comm.members.size() + comm.remote_members.size());
      const int spacing = comm.members.size() > 1 ? comm.members[1] - comm.members[0] : 0;
      rows.push_back({at->second, comm.name, size, 0, 0, 0, spacing, most_on_node(comm)});
    }
    CommunicatorRow& row = rows[static_cast<std::size_t>(at->second)];
    if (row.name.empty()) row.name = comm.name;
    return at->second;
  }

  std::vector<CommunicatorRow> rows;

private:
  /// 0 if the host of a rank is not known.
  [[nodiscard]] int most_on_node(const trace::Communicator& comm) const {
    std::unordered_map<std::string, int> on_host;
    int most = 0;
    if (!comm.remote_members.empty()) return 0;
    for (const int rank : comm.members) {
      const auto host = hosts_.find(rank);
      if (host == hosts_.end()) return 0;
      most = std::max(most, ++on_host[host->second]);
    }
    return most;
  }

  std::map<std::tuple<std::uint64_t, std::uint32_t>, int> ids_;
  std::unordered_map<int, std::string> hosts_;  ///< by world rank
};

/// Call paths by number: sites of different ranks may have the same users' frames.
class Paths {
public:
  Paths(const trace::Symbolizer& symbolizer, DistinctSites& sites)
      : symbolizer_(symbolizer), sites_(sites) {}

  std::size_t path_of(const trace::Site& site) {
    const std::size_t number = sites_.index_of(site);
    for (std::size_t next = path_of_site_.size(); next <= number; ++next) {
      path_of_site_.push_back(add(symbolizer_.user_frames(*sites_.sites()[next])));
    }
    return path_of_site_[number];
  }
  [[nodiscard]] const std::string& text(std::size_t path) const { return texts_[path]; }
  [[nodiscard]] const std::vector<Frame>& frames(std::size_t path) const { return frames_[path]; }

private:
  std::size_t add(std::vector<Frame> frames) {
    std::string text;
    for (const Frame& frame : frames) {
      text += fmt::format("{}@{}+{};", frame.function, frame.module, frame.offset);
      if (frame.module.empty()) text += fmt::format("{}:{};", frame.file, frame.line);
    }
    const auto [known, added] = indices_.try_emplace(text, texts_.size());
    if (added) {
      texts_.push_back(std::move(text));
      frames_.push_back(std::move(frames));
    }
    return known->second;
  }

  const trace::Symbolizer& symbolizer_;
  DistinctSites& sites_;
  std::vector<std::size_t> path_of_site_;
  std::vector<std::string> texts_;
  std::vector<std::vector<Frame>> frames_;
  std::map<std::string, std::size_t> indices_;  // by text
};

/// Numbers the functions of all ranks.
class FunctionNumbers {
public:
  std::size_t operator()(const trace::SharedText& function) {
    const auto [known, added] = by_identity_.try_emplace(function.identity(), names.size());
    if (!added) return known->second;
    // Records that were not read together have copies of their own.
    const auto [same, is_new] = by_name_.try_emplace(function.text(), names.size());
    if (is_new) names.push_back(function.text());
    return known->second = same->second;
  }

  std::vector<std::string> names;

private:
  std::unordered_map<const void*, std::size_t> by_identity_;
  std::map<std::string, std::size_t> by_name_;
};

/// The rows of call sites. The calls of a rank are added one after another, ranks ascending.
class Sites {
public:
  void add_call(const trace::CallEntry& call, std::size_t function, int rank, int communicator,
                std::size_t path) {
    Entry& entry = entries_[{function, communicator, path}];
    if (entry.rank != rank) {
      entry.close_rank();
      entry.rank = rank;
      ++entry.row.ranks;
    }
    add(entry.row, call);
    entry.row.before_s += call.before_s;
    entry.rank_s += call.time_s;
  }

  std::vector<SiteRow> rows(const FunctionNumbers& functions, const Paths& paths) {
    std::map<std::tuple<std::string, int, std::string>, SiteRow> finished;
    for (auto& [key, entry] : entries_) {
      const auto [function, communicator, path] = key;
      entry.close_rank();
      entry.row.call = functions.names[function];
      entry.row.communicator = communicator;
      entry.row.frames = paths.frames(path);
      finished[{entry.row.call, communicator, paths.text(path)}] = std::move(entry.row);
    }
    std::vector<SiteRow> sorted = by_time(finished);
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i].id = static_cast<int>(i);
    return sorted;
  }

private:
  struct Entry {
    SiteRow row;
    int rank = -1;  // whose calls are being added
    double rank_s = 0;

    void close_rank() {
      if (rank < 0) return;
      if (row.time_min_rank < 0 || rank_s < row.time_min_s) {
        row.time_min_s = rank_s;
        row.time_min_rank = rank;
      }
      if (row.time_max_rank < 0 || rank_s >= row.time_max_s) {
        row.time_max_s = rank_s;
        row.time_max_rank = rank;
      }
      rank_s = 0;
    }
  };
  std::map<std::tuple<std::size_t, int, std::size_t>, Entry> entries_;
};

/// @param sends  its function sends a message
bool has_message_size(const trace::CallEntry& call, bool sends) {
  if (call.collective) return call.peer == PLAIT_PEER_COLLECTIVE || call.bytes > 0;
  return call.peer != PLAIT_PEER_NONE && call.peer != PLAIT_PEER_NULL && sends;
}

/// Adds a note about each library that calls MPI in its constructors or destructors, which the
/// loader calls.
void note_loader_calls(Profile& profile) {
  const auto name_of = [](const Frame& frame) {
    return std::filesystem::path(frame.module).filename().string();
  };
  std::map<std::string, std::uint64_t> calls;
  for (const SiteRow& site : profile.sites) {
    const auto loader = std::ranges::find_if(
        site.frames, [&](const Frame& frame) { return name_of(frame).starts_with("ld-"); });
    if (loader == site.frames.end() || loader == site.frames.begin()) continue;
    calls[name_of(*std::prev(loader))] += site.count;
  }
  for (const auto& [library, count] : calls) {
    profile.notes.push_back(
        fmt::format("{} calls MPI when it is loaded or unloaded: {} of the calls, on all ranks",
                    library, format_count(count)));
  }
}

SizeRow size_row(const trace::CallEntry& call) {
  SizeRow row;
  row.kind = call.collective ? "collective" : "point_to_point";
  if (call.size_class > 0) {
    row.low_bytes = 1ULL << std::min(63, call.size_class - 1);
    row.high_bytes = row.low_bytes - 1 + row.low_bytes;
  }
  return row;
}

}  // namespace

bool sends_message(const std::string& function) {
  if (function.find("_init") != std::string::npos) return false;
  return function.find("send") != std::string::npos || function.find("Send") != std::string::npos ||
         function.starts_with("MPI_Start") || function.starts_with("MPI_Put") ||
         function.starts_with("MPI_Rput");
}

void fill_call_tables(const Job& job, const trace::Symbolizer& symbolizer, DistinctSites& numbers,
                      Profile& profile) {
  FunctionNumbers function_of;
  std::vector<CallRow> calls;  // by function
  std::vector<bool> sends;     // by function
  std::map<std::string, PeerClassRow> classes;
  std::map<std::tuple<std::string, int>, SizeRow> sizes;
  Communicators communicators(job);
  Paths paths(symbolizer, numbers);
  Sites sites;
  for (const trace::RankRecord* record : job.ranks) {
    for (const trace::CallEntry& call : record->calls) {
      const std::size_t function = function_of(call.function);
      if (function == calls.size()) {
        calls.emplace_back().name = call.function;
        sends.push_back(sends_message(call.function));
      }
      calls[function].max_s = std::max(calls[function].max_s, call.max_s);
      add(calls[function], call);

      const int communicator = communicators.id_of(*record, call.comm);
      if (communicator != kNoCommunicator) {
        CommunicatorRow& of = communicators.rows[static_cast<std::size_t>(communicator)];
        of.calls += call.count;
        of.bytes += call.bytes;
        of.time_s += call.time_s;
      }
      sites.add_call(call, function, record->world_rank, communicator,
                     paths.path_of(record->sites.at(call.site)));

      PeerClassRow& peer = classes[class_name(call.peer)];
      peer.peer_class = class_name(call.peer);
      add(peer, call);

      if (!has_message_size(call, sends[function])) continue;
      const SizeRow fresh = size_row(call);
      add(sizes.try_emplace({fresh.kind, call.size_class}, fresh).first->second, call);
    }
  }
  std::map<std::string, CallRow> calls_by_name;
  for (CallRow& row : calls) calls_by_name[row.name] = std::move(row);
  profile.calls = by_time(calls_by_name);
  profile.sites = sites.rows(function_of, paths);
  note_loader_calls(profile);
  profile.communicators = std::move(communicators.rows);
  profile.peer_classes = by_time(classes);
  for (auto& [key, row] : sizes) profile.sizes.push_back(std::move(row));
}

}  // namespace plait::report
