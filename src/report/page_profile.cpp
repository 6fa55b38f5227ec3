// SPDX-License-Identifier: BSD-3-Clause
// The profile as the page has it: of many ranks, in bins instead of a row for each.
#include "report/page_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "report/alike_ranks.hpp"

namespace plait::report {
namespace {

using nlohmann::json;

constexpr std::size_t kMostRows = 256;      // of a table with a row for each rank
constexpr std::size_t kMostThreads = 1024;  // of a table with a row for each thread

/// Keeps the rows with the largest values, in their order.
template <class Row, class Value>
void keep_largest(std::vector<Row>& rows, std::size_t most, Value value) {
  if (rows.size() <= most) return;
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return value(rows[a]) > value(rows[b]); });
  order.resize(most);
  std::sort(order.begin(), order.end());
  std::vector<Row> kept;
  for (const std::size_t index : order) kept.push_back(std::move(rows[index]));
  rows = std::move(kept);
}

/// A row for the ranks [first, last] of `rows`: means, so that sums over all ranks stay right.
json bin_of(const std::vector<RankRow>& rows, std::size_t first, std::size_t last) {
  const auto count = static_cast<double>(last - first + 1);
  const auto mean = [&](auto value) {
    double sum = 0;
    for (std::size_t i = first; i <= last; ++i) sum += static_cast<double>(value(rows[i]));
    return sum / count;
  };
  const auto same = [&](auto text) {
    for (std::size_t i = first; i <= last; ++i) {
      if (text(rows[i]) != text(rows[first])) return std::string();
    }
    return text(rows[first]);
  };
  std::vector<double> compute;
  int threads = 1;
  for (std::size_t i = first; i <= last; ++i) {
    compute.push_back(rows[i].compute_s);
    threads = std::max(threads, rows[i].threads);
  }
  const TimeSpread spread = time_spread_of(std::move(compute));
  return {
      {"rank", rows[first].rank},
      {"last_rank", rows[last].rank},
      {"host", same([](const RankRow& row) { return row.host; })},
      {"pid", nullptr},
      {"state", same([](const RankRow& row) { return row.state; })},
      {"threads", threads},
      {"wall_s", mean([](const RankRow& row) { return row.wall_s; })},
      {"mpi_s", mean([](const RankRow& row) { return row.mpi_s; })},
      {"compute_s", mean([](const RankRow& row) { return row.compute_s; })},
      {"compute_least_s", spread.least},
      {"compute_most_s", spread.most},
      {"omp_idle_s", mean([](const RankRow& row) { return row.omp_idle_s; })},
      {"calls", mean([](const RankRow& row) { return row.calls; })},
      {"bytes", mean([](const RankRow& row) { return row.bytes; })},
      {"cpu_s", mean([](const RankRow& row) { return row.cpu_s; })},
      {"cpu_taken_s", mean([](const RankRow& row) { return row.cpu_wait_s; })},
      {"voluntary_switches", mean([](const RankRow& row) { return row.voluntary_switches; })},
      {"involuntary_switches", mean([](const RankRow& row) { return row.involuntary_switches; })}};
}

json rank_bins(const std::vector<RankRow>& rows, int per_bin) {
  json bins = json::array();
  for (std::size_t first = 0; first < rows.size();) {
    // By rank, not by row: ranks may be missing.
    std::size_t last = first;
    while (last + 1 < rows.size() && rows[last + 1].rank / per_bin == rows[first].rank / per_bin) {
      ++last;
    }
    bins.push_back(bin_of(rows, first, last));
    first = last + 1;
  }
  return bins;
}

void bin(std::vector<MatrixEntry>& entries, int per_cell) {
  std::map<std::pair<int, int>, MatrixEntry> cells;
  for (const MatrixEntry& entry : entries) {
    const int from = entry.from / per_cell, to = entry.to / per_cell;
    MatrixEntry& cell = cells.try_emplace({from, to}, MatrixEntry{from, to, 0, 0}).first->second;
    cell.messages += entry.messages;
    cell.bytes += entry.bytes;
  }
  entries.clear();
  for (const auto& [place, cell] : cells) entries.push_back(cell);
}

/// Leaves out rows of tables with a row for each rank or thread.
void shorten(Profile& profile, const std::set<int>& typical) {
  std::set<std::string> hosts;
  for (const RankRow& rank : profile.ranks) {
    if (typical.contains(rank.rank)) hosts.insert(rank.host);
  }
  std::erase_if(profile.placement.threads,
                [&](const ThreadPlace& thread) { return !hosts.contains(thread.host); });
  if (profile.placement.threads.size() > kMostThreads) {
    profile.placement.threads.resize(kMostThreads);
  }
  keep_largest(profile.memory.ranks, kMostRows, [](const auto& row) { return row.peak; });
  keep_largest(profile.io.ranks, kMostRows, [](const auto& row) { return row.time_s; });
  keep_largest(profile.openmp.threads, kMostThreads, [](const auto& row) { return row.idle_s; });
  for (FunctionRow& function : profile.functions) {
    keep_largest(function.by_thread, kMostRows, [](const auto& row) { return row.exclusive_s; });
  }
}

}  // namespace

std::size_t ranks_per_bin(std::size_t ranks, std::size_t on_first_node, std::size_t most) {
  const std::size_t least = (std::max<std::size_t>(1, ranks) + most - 1) / most;
  for (std::size_t bin = least; bin <= 2 * least; ++bin) {
    if (on_first_node % bin == 0) return bin;
  }
  return least;
}

int ranks_per_bin(const Matrix& matrix) {
  const auto on_first = matrix.nodes.empty() ? 0
                                             : std::count(matrix.nodes.begin(), matrix.nodes.end(),
                                                          matrix.nodes.front());
  return static_cast<int>(ranks_per_bin(static_cast<std::size_t>(std::max(0, matrix.size)),
                                        static_cast<std::size_t>(on_first), kMostPageBins));
}

json page_profile(const Profile& profile) {
  if (profile.world_size <= kMostPageBins) return profile_to_json(profile);
  const int per_bin = ranks_per_bin(profile.matrix);
  std::set<int> typical;
  for (const AlikeRanks& group : alike_ranks(profile.ranks, kMostRankGroups)) {
    typical.insert(group.typical);
  }
  Profile shown = profile;
  shorten(shown, typical);
  shown.notes.push_back(fmt::format(
      "of {} ranks, charts of ranks have the mean of {} in each bar, and tables of ranks and "
      "threads the {} rows with the largest values; profile.json has all",
      profile.world_size, per_bin, kMostRows));
  bin(shown.matrix.point_to_point, per_bin);
  bin(shown.matrix.collective, per_bin);
  const std::vector<RankRow> ranks = std::exchange(shown.ranks, {});
  json value = profile_to_json(shown);
  value["ranks"] = rank_bins(ranks, per_bin);
  value["rank_groups"] = alike_ranks_to_json(alike_ranks(ranks, kMostRankGroups));
  value["matrix"]["ranks_per_cell"] = per_bin;
  return value;
}

}  // namespace plait::report
