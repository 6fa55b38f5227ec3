// SPDX-License-Identifier: BSD-3-Clause
// Writes the result of a placement check as a sentence and a table.
#include "placement/check_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "text/counted.hpp"
#include "text/table.hpp"

namespace plait::placement {

std::string check_sentence(const PlacementInput& input,
                           const std::vector<PlacementFinding>& findings) {
  if (input.ranks.empty()) return "no ranks were observed";
  std::set<int> hosts;
  int fewest = input.ranks.front().threads_wanted;
  int most = fewest;
  int cores = 0;
  for (const RankPlace& rank : input.ranks) {
    fewest = std::min(fewest, rank.threads_wanted);
    most = std::max(most, rank.threads_wanted);
    if (hosts.insert(rank.host).second && rank.host < static_cast<int>(input.hosts.size())) {
      cores += static_cast<int>(
          input.hosts[static_cast<std::size_t>(rank.host)].topology.allowed_cores().size());
    }
  }
  const std::string threads =
      fewest == most ? counted(most, "thread") : fmt::format("{} to {} threads", fewest, most);
  std::string text = fmt::format("{} x {} on {}", counted(input.ranks.size(), "rank"), threads,
                                 cores > 0 ? counted(cores, "core") : "unknown cores");
  if (hosts.size() > 1) text += fmt::format(" of {}", counted(hosts.size(), "host"));
  const bool bad = std::any_of(findings.begin(), findings.end(),
                               [](const auto& finding) { return finding.severity != "low"; });
  if (bad) return text + ": " + findings.front().what;
  if (cores == 0) return text + ": not checked";
  text += ": each thread can have its own core";
  if (!findings.empty()) text += "; " + findings.front().what;
  return text;
}

std::string check_table(const PlacementInput& input) {
  const bool parts = std::any_of(input.ranks.begin(), input.ranks.end(), [&](const auto& rank) {
    return rank.program != input.ranks.front().program;
  });
  std::vector<Column> columns{text_column("host"),
                              number_column("rank"),
                              number_column("thread"),
                              text_column("core", abridge_commas),
                              text_column("NUMA", abridge_commas),
                              text_column("cpus", abridge_commas)};
  if (parts) columns.insert(columns.begin() + 1, text_column("part", truncate));
  Table table(std::move(columns));
  for (const RankPlace& rank : input.ranks) {
    const HostPlaces& host = input.hosts[static_cast<std::size_t>(rank.host)];
    for (const ThreadPlace& thread : rank.threads) {
      const std::vector<int> cores = host.topology.cores_of(thread.allowed);
      std::vector<std::string> cells{host.name,
                                     std::to_string(rank.rank),
                                     std::to_string(thread.thread),
                                     machine::format_ids(cores),
                                     machine::format_ids(host.topology.numa_of(cores)),
                                     thread.allowed.format()};
      if (parts) cells.insert(cells.begin() + 1, rank.program);
      table.add(std::move(cells));
    }
  }
  return table.text();
}

}  // namespace plait::placement
