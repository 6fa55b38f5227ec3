// SPDX-License-Identifier: BSD-3-Clause
// Turns the places of a plan into launcher options and the files that go with them.
#include "launcher/plan_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/environment.hpp"
#include "launcher/launcher_traits.hpp"
#include "launcher/plan_parts.hpp"

namespace plait::launcher {
namespace {

using machine::CpuSet;

/// The set as a hexadecimal mask. Intel MPI needs the "0x".
std::string mask_text(const CpuSet& pus) {
  const std::size_t last = static_cast<std::size_t>(std::max(0, pus.last()) / 4);
  std::string digits(last + 1, '0');
  for (std::size_t digit = 0; digit <= last; ++digit) {
    int value = 0;
    for (int bit = 0; bit < 4; ++bit) {
      if (pus.test(static_cast<int>(digit) * 4 + bit)) value |= 1 << bit;
    }
    digits[last - digit] = "0123456789abcdef"[value];
  }
  return "0x" + digits;
}

}  // namespace

std::string name_of(const std::string& node) {
  return node.empty() ? "localhost" : node;
}

bool is_bound(const Plan& plan) {
  return std::any_of(plan.places.begin(), plan.places.end(),
                     [](const RankPlaces& place) { return !place.pus.empty(); });
}

bool ranks_adjacent(const Plan& plan) {
  std::set<int> ended;
  const std::vector<int> node = node_of_rank(plan);
  for (std::size_t rank = 1; rank < node.size(); ++rank) {
    if (node[rank] == node[rank - 1]) continue;
    ended.insert(node[rank - 1]);
    if (ended.count(node[rank]) != 0) return false;
  }
  return true;
}

std::vector<CpuSet> list_for_all_nodes(const Plan& plan) {
  std::vector<std::vector<CpuSet>> lists(nodes_of(plan).size());
  const std::vector<int> node = node_of_rank(plan);
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    if (plan.places[rank].pus.empty()) return {};
    lists[static_cast<std::size_t>(node[rank])].push_back(plan.places[rank].pus);
  }
  const auto longest = std::max_element(
      lists.begin(), lists.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const bool alike = std::all_of(lists.begin(), lists.end(), [&](const auto& list) {
    return std::equal(list.begin(), list.end(), longest->begin());
  });
  return alike ? *longest : std::vector<CpuSet>{};
}

std::string masks_text(const std::vector<CpuSet>& list) {
  std::vector<std::string> masks;
  for (const CpuSet& pus : list) masks.push_back(mask_text(pus));
  return fmt::format("{}", fmt::join(masks, ","));
}

std::string one_line_per_rank(const Plan& plan, const char* suffix) {
  std::string text;
  for (const RankPlaces& place : plan.places) text += name_of(place.node) + suffix + "\n";
  return text;
}

std::string one_line_per_node(const Plan& plan) {
  std::string text;
  for (const PlanNode& node : nodes_of(plan)) {
    text += fmt::format("{}:{}\n", name_of(node.name), node.ranks);
  }
  return text;
}

bool ranks_overlap(const Plan& plan) {
  std::map<std::string, CpuSet> used;
  for (const RankPlaces& place : plan.places) {
    CpuSet& pus = used[place.node];
    if (pus.intersects(place.pus)) return true;
    pus |= place.pus;
  }
  return false;
}

bool crowded(const Plan& plan) {
  std::map<std::pair<std::string, std::string>, std::pair<CpuSet, int>> places;  // their threads
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    const RankPlaces& place = plan.places[rank];
    auto& [pus, threads] = places[{place.node, place.pus.format()}];
    pus = place.pus;
    threads += std::max(1, threads_of_rank(plan, static_cast<int>(rank)));
  }
  return std::any_of(places.begin(), places.end(), [&](const auto& place) {
    const CpuSet& all = place.second.first;
    int inside = 0;
    for (const auto& [other, there] : places) {
      if (other.first == place.first.first && there.first.subset_of(all)) inside += there.second;
    }
    return !all.empty() && inside > all.count();
  });
}

std::vector<PlanNode> nodes_of(const Plan& plan) {
  std::vector<PlanNode> nodes;
  const std::vector<int> node = node_of_rank(plan);
  for (std::size_t rank = 0; rank < node.size(); ++rank) {
    const auto index = static_cast<std::size_t>(node[rank]);
    if (index == nodes.size()) nodes.push_back({plan.places[rank].node, 0});
    ++nodes[index].ranks;
  }
  return nodes;
}

std::vector<int> node_of_rank(const Plan& plan) {
  std::map<std::string, int> index;
  std::vector<int> result;
  for (const RankPlaces& place : plan.places) {
    result.push_back(index.try_emplace(place.node, static_cast<int>(index.size())).first->second);
  }
  return result;
}

bool only_here(const Plan& plan) {
  const std::string here = host_name();
  return std::all_of(plan.places.begin(), plan.places.end(), [&](const RankPlaces& place) {
    return place.node.empty() || place.node == "localhost" || place.node == here;
  });
}

PlacementOptions placement_options(const Plan& plan, const Launcher& launcher,
                                   const std::filesystem::path& folder, const SaidBefore& said) {
  PlacementOptions added = traits_of(launcher.kind).place(plan, launcher.version, folder, said);
  if (added.binder) {
    std::string& text = added.files["places"];
    for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
      if (plan.places[rank].pus.empty()) continue;
      text += fmt::format("{} {}\n", rank, plan.places[rank].pus.format());
    }
  }
  return added;
}

}  // namespace plait::launcher
