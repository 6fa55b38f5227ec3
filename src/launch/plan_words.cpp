// SPDX-License-Identifier: BSD-3-Clause
// The places of a plan in the words of each launcher.
#include "launch/plan_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "launch/environment.hpp"
#include "launch/placement_options.hpp"

namespace plait::launch {
namespace {

using machine::CpuSet;

std::string name_of(const std::string& node) {
  return node.empty() ? "localhost" : node;
}

bool is_bound(const Plan& plan) {
  return std::any_of(plan.places.begin(), plan.places.end(),
                     [](const RankPlaces& place) { return !place.pus.empty(); });
}

/// Each node's ranks follow each other.
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

/// Where the first, second ... rank of a node is bound, when that is the same on all nodes: the
/// list that hydra and srun take. Empty when nodes differ or a rank is not bound.
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

/// The set as a mask in hexadecimal digits; Intel MPI takes none without "0x".
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

std::string masks_text(const std::vector<CpuSet>& list) {
  std::vector<std::string> masks;
  for (const CpuSet& pus : list) masks.push_back(mask_text(pus));
  return fmt::format("{}", fmt::join(masks, ","));
}

std::string one_line_a_rank(const Plan& plan, const char* suffix) {
  std::string text;
  for (const RankPlaces& place : plan.places) text += name_of(place.node) + suffix + "\n";
  return text;
}

std::string one_line_a_node(const Plan& plan) {
  std::string text;
  for (const PlanNode& node : nodes_of(plan)) {
    text += fmt::format("{}:{}\n", name_of(node.name), node.ranks);
  }
  return text;
}

/// Two ranks have a hardware thread of a node in common.
bool ranks_overlap(const Plan& plan) {
  std::map<std::string, CpuSet> used;
  for (const RankPlaces& place : plan.places) {
    CpuSet& pus = used[place.node];
    if (pus.intersects(place.pus)) return true;
    pus |= place.pus;
  }
  return false;
}

void open_mpi_rankfile(const Plan& plan, bool old, const std::string& file, PlacementWords& words) {
  std::string& text = words.files["rankfile"];
  for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
    const RankPlaces& place = plan.places[rank];
    text += fmt::format("rank {}={} slot={}\n", rank, name_of(place.node), place.cores.format());
  }
  const bool shared = ranks_overlap(plan);
  if (old) {
    words.options = {"--rankfile", file};
    if (shared) {
      words.options.insert(words.options.end(),
                           {"--oversubscribe", "--bind-to", "cpu-list:overload-allowed"});
    }
    return;
  }
  words.options = {"--map-by", "rankfile:file=" + file + (shared ? ":oversubscribe" : ""),
                   "--bind-to", shared ? "core:overload-allowed" : "core"};
}

/// A host for each rank in turn, or, where there is but one, nothing.
void open_mpi_hosts(const Plan& plan, bool old, const std::string& file, PlacementWords& words) {
  if (only_here(plan)) {
    if (!ranks_overlap(plan)) return;
    if (old) {
      words.options = {"--oversubscribe"};
    } else {
      words.options = {"--map-by", ":oversubscribe"};
    }
    return;
  }
  words.files["hosts"] = one_line_a_rank(plan, "");
  if (old) {
    words.options = {"--map-by", "seq", "--hostfile", file};
    words.drop = host_options(LauncherKind::openmpi4);
  } else {
    words.options = {"--map-by", "seq:file=" + file};
  }
}

/// Open MPI: a rankfile where the places are whole cores, else a host for each rank.
PlacementWords open_mpi(const Plan& plan, bool old, const std::filesystem::path& folder,
                        const SaidBefore& said) {
  PlacementWords words;
  const bool bound = is_bound(plan);
  const bool cores = std::all_of(plan.places.begin(), plan.places.end(), [](const auto& place) {
    return !place.pus.empty() && !place.cores.empty();
  });
  const bool keep_binding = !bound && (said.binding || only_here(plan));
  if (cores) {
    open_mpi_rankfile(plan, old, (folder / "rankfile").string(), words);
  } else {
    open_mpi_hosts(plan, old, (folder / "hosts").string(), words);
    if (!keep_binding) words.options.insert(words.options.end(), {"--bind-to", "none"});
    words.binder = bound;
  }
  if (words.drop.empty() && !only_here(plan) && !said.hosts) {
    std::vector<std::string> hosts;
    for (const PlanNode& node : nodes_of(plan)) {
      hosts.push_back(fmt::format("{}:{}", name_of(node.name), node.ranks));
    }
    words.options.insert(words.options.end(), {"--host", fmt::format("{}", fmt::join(hosts, ","))});
  }
  for (const std::string& option : placement_options(LauncherKind::openmpi4)) {
    if (!(keep_binding && option.compare(0, 7, "bind-to") == 0)) words.drop.push_back(option);
  }
  words.drop.insert(words.drop.end(), {"rankfile", "rf", "npernode", "pernode", "N", "ppr",
                                       "oversubscribe", "nooversubscribe"});
  return words;
}

/// Hosts for hydra. @returns whether each node's ranks are counted by one proxy, from 0 on
bool mpich_hosts(const Plan& plan, const std::string& version, const std::string& file,
                 PlacementWords& words) {
  const bool adjacent = ranks_adjacent(plan);
  if (only_here(plan)) return true;
  words.options = {"-f", file};
  words.files["hosts"] = one_line_a_node(plan);
  if (adjacent) return true;
  constexpr int kFirstWithRankmap = 5;
  if (version.empty() || std::atoi(version.c_str()) >= kFirstWithRankmap) {
    words.options.insert(words.options.end(),
                         {"-rankmap", fmt::format("{}", fmt::join(node_of_rank(plan), ","))});
    return true;
  }
  // A host that is named again gets a proxy of its own, and MPICH takes each proxy for a node.
  words.files["hosts"] = one_line_a_rank(plan, ":1");
  words.notes.push_back(fmt::format(
      "MPICH {} takes ranks of a node that do not follow each other in rank order for ranks on "
      "different nodes: they get no shared memory. MPICH 5 (-rankmap) does not",
      version));
  return false;
}

PlacementWords mpich(const Plan& plan, const Launcher& launcher,
                     const std::filesystem::path& folder) {
  PlacementWords words;
  const bool counted = mpich_hosts(plan, launcher.version, (folder / "hosts").string(), words);
  words.drop = host_options(LauncherKind::mpich);
  words.drop.insert(words.drop.end(), {"ppn", "perhost", "rankmap"});
  if (!is_bound(plan)) return words;
  const auto options = placement_options(LauncherKind::mpich);
  words.drop.insert(words.drop.end(), options.begin(), options.end());
  const std::vector<CpuSet> list = list_for_all_nodes(plan);
  words.binder = list.empty() || !counted;
  std::vector<std::string> users;
  for (const CpuSet& pus : list) users.push_back(fmt::format("{}", fmt::join(pus.indices(), "+")));
  words.options.insert(
      words.options.end(),
      {"-bind-to", words.binder ? "none" : fmt::format("user:{}", fmt::join(users, ","))});
  return words;
}

PlacementWords intel(const Plan& plan, const std::filesystem::path& folder) {
  PlacementWords words;
  if (!only_here(plan)) {
    words.options = {"-machinefile", (folder / "hosts").string()};
    words.files["hosts"] =
        ranks_adjacent(plan) ? one_line_a_node(plan) : one_line_a_rank(plan, ":1");
  }
  words.drop = host_options(LauncherKind::intel);
  words.drop.insert(words.drop.end(), {"ppn", "perhost", "rr", "grr"});
  if (!is_bound(plan)) return words;
  const auto options = placement_options(LauncherKind::intel);
  words.drop.insert(words.drop.end(), options.begin(), options.end());
  const std::vector<CpuSet> list = list_for_all_nodes(plan);
  const auto every = [&](auto&& holds) {
    return !list.empty() && std::all_of(list.begin(), list.end(), holds);
  };
  // Masks from bit 60 on were seen to be dropped without a word (geopm issue 614).
  constexpr int kMaskBits = 60;
  if (every([](const CpuSet& pus) { return pus.count() == 1; })) {
    std::vector<int> pus;
    for (const CpuSet& one : list) pus.push_back(one.first());
    words.options.insert(words.options.end(), {"-genv", "I_MPI_PIN_PROCESSOR_LIST",
                                               fmt::format("{}", fmt::join(pus, ","))});
  } else if (every([](const CpuSet& pus) { return pus.last() < kMaskBits; })) {
    words.options.insert(words.options.end(),
                         {"-genv", "I_MPI_PIN_DOMAIN", fmt::format("[{}]", masks_text(list))});
  } else {
    words.options.insert(words.options.end(), {"-genv", "I_MPI_PIN", "0"});
    words.binder = true;
  }
  return words;
}

PlacementWords slurm(const Plan& plan, const std::filesystem::path& folder) {
  PlacementWords words;
  if (only_here(plan)) {
    // Else srun shares the ranks out over all nodes of the job.
    words.options = {"--nodes=1"};
  } else {
    words.options = {"--distribution=arbitrary"};
    words.files["hosts"] = one_line_a_rank(plan, "");
    words.environment["SLURM_HOSTFILE"] = (folder / "hosts").string();
  }
  words.drop = host_options(LauncherKind::slurm);
  words.drop.insert(words.drop.end(), {"ntasks-per-node", "nodes", "N", "distribution", "m"});
  if (!is_bound(plan)) return words;
  const auto options = placement_options(LauncherKind::slurm);
  words.drop.insert(words.drop.end(), options.begin(), options.end());
  const std::vector<CpuSet> list = list_for_all_nodes(plan);
  words.binder = list.empty();
  words.options.push_back(words.binder ? "--cpu-bind=none"
                                       : "--cpu-bind=mask_cpu:" + masks_text(list));
  words.notes.emplace_back("srun takes masks only where whole nodes are allocated (--exclusive)");
  return words;
}

PlacementWords words_of(const Plan& plan, const Launcher& launcher,
                        const std::filesystem::path& folder, const SaidBefore& said) {
  switch (launcher.kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      return open_mpi(plan, launcher.kind == LauncherKind::openmpi4, folder, said);
    case LauncherKind::mpich:
      return mpich(plan, launcher, folder);
    case LauncherKind::intel:
      return intel(plan, folder);
    case LauncherKind::slurm:
      return slurm(plan, folder);
    case LauncherKind::none:
      break;
  }
  PlacementWords words;
  words.binder = is_bound(plan);
  return words;
}

}  // namespace

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

PlacementWords placement_words(const Plan& plan, const Launcher& launcher,
                               const std::filesystem::path& folder, const SaidBefore& said) {
  PlacementWords words = words_of(plan, launcher, folder, said);
  if (words.binder) {
    std::string& text = words.files["places"];
    for (std::size_t rank = 0; rank < plan.places.size(); ++rank) {
      if (plan.places[rank].pus.empty()) continue;
      text += fmt::format("{} {}\n", rank, plan.places[rank].pus.format());
    }
  }
  return words;
}

}  // namespace plait::launch
