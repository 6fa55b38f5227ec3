// SPDX-License-Identifier: BSD-3-Clause
// Writes a placement as a sentence and a table.
#include "placement/placement_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "placement/tree.hpp"
#include "text/counted.hpp"
#include "text/table.hpp"

namespace plait::placement {
namespace {

/// Numbers of the groups that contain at least one of these cores.
std::vector<int> touched(const std::vector<std::vector<int>>& groups,
                         const std::vector<int>& cores) {
  std::vector<int> result;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const bool any = std::any_of(cores.begin(), cores.end(), [&](int core) {
      return std::binary_search(groups[group].begin(), groups[group].end(), core);
    });
    if (any) result.push_back(static_cast<int>(group));
  }
  return result;
}

}  // namespace

std::string placement_sentence(const Placement& placement, const machine::Topology& node,
                               const std::string& host) {
  std::set<int> cores;
  for (const RankSpot& rank : placement.ranks) {
    if (rank.node == 0) cores.insert(rank.cores.begin(), rank.cores.end());
  }
  const std::vector<int> used(cores.begin(), cores.end());
  const auto caches = groups_of(node, {PlaceKind::cache, 0});
  const auto memories = groups_of(node, {PlaceKind::numa, 0});
  const auto share = [&](const std::vector<std::vector<int>>& groups, const char* name) {
    return fmt::format("{} of {}", touched(groups, used).size(), counted(groups.size(), name));
  };
  const std::string where =
      placement.nodes == 1 ? host : fmt::format("each of {} nodes like {}", placement.nodes, host);
  return fmt::format("{} x {} on {} of {}, {}, {} of {}.", counted(placement.ranks.size(), "rank"),
                     counted(placement.threads, "thread"), used.size(),
                     counted(node.allowed_cores().size(), "core"), share(caches, "cache"),
                     share(memories, "NUMA domain"), where);
}

std::string placement_table(const std::vector<NamedSpot>& ranks, const machine::Topology& node) {
  const auto caches = groups_of(node, {PlaceKind::cache, 0});
  const auto memories = groups_of(node, {PlaceKind::numa, 0});
  const bool parts = std::any_of(ranks.begin(), ranks.end(),
                                 [](const NamedSpot& rank) { return !rank.program.empty(); });
  std::vector<Column> columns{number_column("rank"),
                              text_column("node"),
                              text_column("cores", abridge_commas),
                              text_column("cpus", abridge_commas),
                              text_column("cache", abridge_commas),
                              text_column("NUMA", abridge_commas)};
  if (parts) columns.insert(columns.begin() + 1, text_column("part", truncate));
  Table table(std::move(columns));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankSpot& spot = ranks[rank].spot;
    std::vector<std::string> cells{std::to_string(rank),
                                   ranks[rank].node,
                                   machine::format_ids(spot.cores),
                                   spot.pus.format(),
                                   machine::format_ids(touched(caches, spot.cores)),
                                   machine::format_ids(touched(memories, spot.cores))};
    if (parts) cells.insert(cells.begin() + 1, ranks[rank].program);
    table.add(std::move(cells));
  }
  return table.text();
}

}  // namespace plait::placement
