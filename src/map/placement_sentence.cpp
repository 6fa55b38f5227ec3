// SPDX-License-Identifier: BSD-3-Clause
// Says a judgement of a placement in one sentence.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/counted.hpp"
#include "map/placement.hpp"

namespace plait::map {
namespace {}  // namespace

std::string placement_sentence(const PlacementInput& input,
                               const std::vector<PlacementFinding>& findings) {
  if (input.ranks.empty()) return "no rank was seen";
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
  if (cores == 0) return text + ": not judged";
  text += ": each thread can have a core of its own";
  if (!findings.empty()) text += "; " + findings.front().what;
  return text;
}

}  // namespace plait::map
