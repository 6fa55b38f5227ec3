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
  int id_of(const trace::RankRecord& record, std::uint32_t index) {
    if (index == 0 || index >= record.comms.size()) return kNoCommunicator;
    const trace::Communicator& comm = record.comms[index];
    const auto [at, is_new] = ids_.try_emplace(std::tuple(comm.members_hash, comm.ordinal),
                                               static_cast<int>(rows.size()));
    if (is_new) {
      const int size = static_cast<int>(comm.members.size() + comm.remote_members.size());
      rows.push_back({at->second, comm.name, size, 0, 0, 0});
    }
    CommunicatorRow& row = rows[static_cast<std::size_t>(at->second)];
    if (row.name.empty()) row.name = comm.name;
    return at->second;
  }

  std::vector<CommunicatorRow> rows;

private:
  std::map<std::tuple<std::uint64_t, std::uint32_t>, int> ids_;
};

/// Sites of all processes, with the time of each rank until rows() is called.
class Sites {
public:
  void add_call(const trace::CallEntry& call, int rank, int communicator,
                const std::vector<Frame>& frames) {
    std::string path;
    for (const Frame& frame : frames) {
      path += fmt::format("{}@{}+{};", frame.function, frame.module, frame.offset);
      if (frame.module.empty()) path += fmt::format("{}:{};", frame.file, frame.line);
    }
    Entry& entry = entries_[{call.function, communicator, path}];
    if (entry.row.count == 0) {
      entry.row.call = call.function;
      entry.row.communicator = communicator;
      entry.row.frames = frames;
    }
    add(entry.row, call);
    entry.row.before_s += call.before_s;
    entry.time_of_rank[rank] += call.time_s;
  }

  std::vector<SiteRow> rows() {
    std::map<Key, SiteRow> finished;
    for (auto& [key, entry] : entries_) {
      const auto [least, most] =
          std::minmax_element(entry.time_of_rank.begin(), entry.time_of_rank.end(),
                              [](const auto& a, const auto& b) { return a.second < b.second; });
      entry.row.ranks = static_cast<int>(entry.time_of_rank.size());
      entry.row.time_min_s = least->second;
      entry.row.time_min_rank = least->first;
      entry.row.time_max_s = most->second;
      entry.row.time_max_rank = most->first;
      finished[key] = std::move(entry.row);
    }
    std::vector<SiteRow> sorted = by_time(finished);
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i].id = static_cast<int>(i);
    return sorted;
  }

private:
  using Key = std::tuple<std::string, int, std::string>;
  struct Entry {
    SiteRow row;
    std::map<int, double> time_of_rank;
  };
  std::map<Key, Entry> entries_;
};

bool has_message_size(const trace::CallEntry& call) {
  if (call.collective) return call.peer == PLAIT_PEER_COLLECTIVE || call.bytes > 0;
  return call.peer != PLAIT_PEER_NONE && call.peer != PLAIT_PEER_NULL &&
         sends_message(call.function);
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

void fill_call_tables(const Job& job, const trace::Symbolizer& symbolizer, Profile& profile) {
  std::map<std::string, CallRow> calls;
  std::map<std::string, PeerClassRow> classes;
  std::map<std::tuple<std::string, int>, SizeRow> sizes;
  Communicators communicators;
  Sites sites;
  for (const trace::RankRecord* record : job.ranks) {
    std::vector<std::vector<Frame>> frames;
    for (const trace::Site& site : record->sites) frames.push_back(symbolizer.user_frames(site));
    for (const trace::CallEntry& call : record->calls) {
      CallRow& row = calls[call.function];
      row.name = call.function;
      row.max_s = std::max(row.max_s, call.max_s);
      add(row, call);

      const int communicator = communicators.id_of(*record, call.comm);
      if (communicator != kNoCommunicator) {
        CommunicatorRow& of = communicators.rows[static_cast<std::size_t>(communicator)];
        of.calls += call.count;
        of.bytes += call.bytes;
        of.time_s += call.time_s;
      }
      sites.add_call(call, record->world_rank, communicator, frames.at(call.site));

      PeerClassRow& peer = classes[class_name(call.peer)];
      peer.peer_class = class_name(call.peer);
      add(peer, call);

      if (!has_message_size(call)) continue;
      const SizeRow fresh = size_row(call);
      add(sizes.try_emplace({fresh.kind, call.size_class}, fresh).first->second, call);
    }
  }
  profile.calls = by_time(calls);
  profile.sites = sites.rows();
  note_loader_calls(profile);
  profile.communicators = std::move(communicators.rows);
  profile.peer_classes = by_time(classes);
  for (auto& [key, row] : sizes) profile.sizes.push_back(std::move(row));
}

}  // namespace plait::report
