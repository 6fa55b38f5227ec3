// SPDX-License-Identifier: BSD-3-Clause
// Groups of ranks that spend their time alike: what to read instead of a line for each rank.
#include "report/alike_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "machine/cpuset.hpp"
#include "text/terminal.hpp"

namespace plait::report {
namespace {

constexpr double kGap = 0.05;  // of the longest rank's time

using Rows = std::vector<const RankRow*>;
using Value = double (*)(const RankRow&);

constexpr std::array<Value, 4> kValues{
    [](const RankRow& rank) { return rank.compute_s - rank.compute_wait_s; },
    [](const RankRow& rank) { return rank.compute_wait_s; },
    [](const RankRow& rank) { return rank.mpi_s; },
    [](const RankRow& rank) { return rank.omp_idle_s; }};

/// Where a group falls apart most.
struct Split {
  double gap = 0;
  double below = 0;  ///< the largest value of the lower part
  Value value = kValues[0];
};

Split widest(const Rows& rows) {
  Split split;
  std::vector<double> values(rows.size());
  for (const Value value : kValues) {
    std::transform(rows.begin(), rows.end(), values.begin(),
                   [&](const RankRow* rank) { return value(*rank); });
    std::sort(values.begin(), values.end());
    for (std::size_t i = 1; i < values.size(); ++i) {
      const double gap = values[i] - values[i - 1];
      if (gap > split.gap) split = {gap, values[i - 1], value};
    }
  }
  return split;
}

AlikeRanks group_of(const Rows& rows) {
  AlikeRanks group;
  const auto spread = [&](Value value) {
    std::vector<double> values;
    for (const RankRow* rank : rows) values.push_back(value(*rank));
    return time_spread_of(std::move(values));
  };
  group.compute_s = spread(kValues[0]);
  group.cpu_wait_s = spread(kValues[1]);
  group.mpi_s = spread(kValues[2]);
  group.omp_idle_s = spread(kValues[3]);
  for (const RankRow* rank : rows) {
    group.ranks.push_back(rank->rank);
    if (group.typical < 0 && kValues[0](*rank) == group.compute_s.median) {
      group.typical = rank->rank;
    }
  }
  return group;
}

nlohmann::json spread_json(const TimeSpread& of) {
  return {{"min", of.least}, {"median", of.median}, {"max", of.most}};
}

}  // namespace

TimeSpread time_spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, *middle, *most};
}

std::vector<AlikeRanks> alike_ranks(const std::vector<RankRow>& ranks, std::size_t most) {
  if (ranks.empty()) return {};
  struct Part {
    Rows rows;
    Split split;
  };
  double longest = 0;
  Part all;
  for (const RankRow& rank : ranks) {
    longest = std::max(longest, rank.wall_s);
    all.rows.push_back(&rank);
  }
  all.split = widest(all.rows);
  std::vector<Part> parts;
  parts.push_back(std::move(all));
  while (parts.size() < most) {
    const auto next =
        std::max_element(parts.begin(), parts.end(),
                         [](const Part& a, const Part& b) { return a.split.gap < b.split.gap; });
    if (next->split.gap <= 0 || next->split.gap < kGap * longest) break;
    const Split at = next->split;
    Part upper;
    std::copy_if(next->rows.begin(), next->rows.end(), std::back_inserter(upper.rows),
                 [&](const RankRow* rank) { return at.value(*rank) > at.below; });
    std::erase_if(next->rows, [&](const RankRow* rank) { return at.value(*rank) > at.below; });
    next->split = widest(next->rows);
    upper.split = widest(upper.rows);
    parts.push_back(std::move(upper));
  }
  std::vector<AlikeRanks> groups;
  for (const Part& part : parts) groups.push_back(group_of(part.rows));
  std::stable_sort(groups.begin(), groups.end(), [](const AlikeRanks& a, const AlikeRanks& b) {
    return a.ranks.size() > b.ranks.size();
  });
  return groups;
}

std::string name_of(const AlikeRanks& group, std::size_t width) {
  if (group.ranks.size() == 1) return fmt::format("rank {}", group.ranks.front());
  const std::string before = "ranks ";
  const std::string behind = fmt::format(" ({})", group.ranks.size());
  const std::size_t taken = before.size() + behind.size();
  return before +
         abridge_commas(machine::format_ids(group.ranks), width > taken ? width - taken : 0) +
         behind;
}

nlohmann::json alike_ranks_to_json(const std::vector<AlikeRanks>& groups) {
  nlohmann::json list = nlohmann::json::array();
  for (const AlikeRanks& group : groups) {
    list.push_back({{"ranks", machine::format_ids(group.ranks)},
                    {"count", group.ranks.size()},
                    {"typical_rank", group.typical},
                    {"compute_s", spread_json(group.compute_s)},
                    {"compute_wait_s", spread_json(group.cpu_wait_s)},
                    {"mpi_s", spread_json(group.mpi_s)},
                    {"omp_idle_s", spread_json(group.omp_idle_s)}});
  }
  return list;
}

}  // namespace plait::report
