// SPDX-License-Identifier: BSD-3-Clause
// Who computes longest: a rank, the ranks of a node, or a row of the program's grid.
#include "report/busiest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "report/verdict.hpp"

namespace plait::report {
namespace {

constexpr double kGap = 0.05;  // of the mean computation

/// The rows above the widest gap, longest first; those of at most half of the ranks.
std::vector<const RankRow*> above_the_gap(const std::vector<RankRow>& ranks, double mean) {
  std::vector<const RankRow*> rows;
  for (const RankRow& rank : ranks) rows.push_back(&rank);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RankRow* a, const RankRow* b) { return useful_s(*a) > useful_s(*b); });
  std::size_t count = 1;
  double widest = kGap * mean;
  for (std::size_t i = 1; i <= rows.size() / 2 && i < rows.size(); ++i) {
    const double gap = useful_s(*rows[i - 1]) - useful_s(*rows[i]);
    if (gap <= widest) continue;
    widest = gap;
    count = i;
  }
  rows.resize(count);
  return rows;
}

/// The node whose ranks these are, if they are all of it and there are others; else empty.
std::string node_of(const std::vector<const RankRow*>& rows, const std::vector<RankRow>& all) {
  const std::string& host = rows.front()->host;
  if (!std::all_of(rows.begin(), rows.end(), [&](const auto* row) { return row->host == host; })) {
    return "";
  }
  const auto there = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [&](const RankRow& row) { return row.host == host; }));
  return there == rows.size() && there < all.size() ? host : "";
}

}  // namespace

std::vector<int> implied_grid(const Matrix& matrix) {
  std::map<int, int> pairs;  // by the distance from a rank to a later one
  for (const MatrixEntry& entry : matrix.point_to_point) {
    if (entry.to > entry.from) ++pairs[entry.to - entry.from];
  }
  std::vector<int> strides;
  for (const auto& [distance, count] : pairs) {
    // A direction has a pair for all but the last of each line; wrapping around has one per line.
    if (2 * count >= matrix.size) strides.push_back(distance);
  }
  if (strides.size() < 2 || strides.front() != 1) return {};
  strides.push_back(matrix.size);
  std::vector<int> extents;
  for (std::size_t i = 1; i < strides.size(); ++i) {
    if (strides[i] % strides[i - 1] != 0) return {};
    extents.insert(extents.begin(), strides[i] / strides[i - 1]);
  }
  return extents;
}

std::string name_in_grid(const std::vector<int>& ranks, const std::vector<int>& grid) {
  std::vector<std::string> places(grid.size());
  std::size_t product = 1, free = 0;
  int stride = 1;
  for (std::size_t axis = grid.size(); axis-- > 0; stride *= grid[axis]) {
    std::set<int> here;
    for (const int rank : ranks) here.insert(rank / stride % grid[axis]);
    const bool is_all = here.size() == static_cast<std::size_t>(grid[axis]);
    if (!is_all && here.size() > 1) return "";
    if (is_all && grid[axis] > 1) ++free;
    product *= here.size();
    places[axis] = is_all ? "*" : std::to_string(*here.begin());
  }
  if (free == 0 || free > 2 || free == grid.size() || product != ranks.size()) return "";
  return fmt::format("{} ({}) of the {} grid", free == 1 ? "row" : "plane", fmt::join(places, ", "),
                     fmt::join(grid, " x "));
}

Busiest busiest_ranks(const Profile& profile) {
  double sum = 0;
  for (const RankRow& rank : profile.ranks) sum += useful_s(rank);
  Busiest found;
  found.mean_s = sum / static_cast<double>(profile.ranks.size());
  const std::vector<const RankRow*> rows = above_the_gap(profile.ranks, found.mean_s);
  found.rank = rows.front()->rank;
  double theirs = useful_s(*rows.front());
  if (rows.size() > 1) {
    for (const RankRow* row : rows) found.ranks.push_back(row->rank);
    std::sort(found.ranks.begin(), found.ranks.end());
    found.who = node_of(rows, profile.ranks);
    found.is_node = !found.who.empty();
    if (!found.is_node) found.who = name_in_grid(found.ranks, implied_grid(profile.matrix));
    theirs = std::accumulate(rows.begin(), rows.end(), 0.0,
                             [](double all, const RankRow* row) { return all + useful_s(*row); }) /
             static_cast<double>(rows.size());
  }
  if (found.who.empty()) {
    found.who = fmt::format("rank {}", found.rank);
    found.ranks = {found.rank};
    theirs = useful_s(*rows.front());
  }
  found.ratio = found.mean_s > 0 ? theirs / found.mean_s : 1;
  return found;
}

}  // namespace plait::report
