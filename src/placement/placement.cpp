// SPDX-License-Identifier: BSD-3-Clause
// Places ranks and their threads on the cores of nodes, according to a request.
#include "placement/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "placement/tree.hpp"
#include "plait/error.hpp"
#include "text/counted.hpp"

namespace plait::placement {
namespace {

using machine::CpuSet;
using machine::Topology;

/// Cores in the order in which threads use them, without those that stay free in each group.
std::vector<int> usable_cores(const Intent& intent, const Topology& node) {
  std::vector<int> cores = node.allowed_cores();
  if (intent.cores_free == 0) return cores;
  std::vector<int> free;
  for (const std::vector<int>& group : groups_of(node, intent.free_in)) {
    const auto count = std::min(group.size(), static_cast<std::size_t>(intent.cores_free));
    free.insert(free.end(), group.end() - static_cast<std::ptrdiff_t>(count), group.end());
  }
  std::erase_if(cores,
                [&](int core) { return std::find(free.begin(), free.end(), core) != free.end(); });
  return cores;
}

/// The places for threads: cores, or their hardware threads.
std::vector<Unit> units_of(const Topology& node, const std::vector<int>& cores,
                           bool hardware_threads) {
  std::vector<Unit> units;
  for (const int core : cores) {
    if (!hardware_threads) {
      units.push_back({core, CpuSet::of(node.allowed_pus_of(core))});
      continue;
    }
    for (const int pu : node.allowed_pus_of(core)) units.push_back({core, CpuSet::of({pu})});
  }
  return units;
}

/// The number of ranks on each node: as even as possible, more on the first nodes.
std::vector<int> shares(int ranks, int nodes) {
  std::vector<int> result(static_cast<std::size_t>(nodes), ranks / nodes);
  for (int node = 0; node < ranks % nodes; ++node) ++result[static_cast<std::size_t>(node)];
  return result;
}

class Placer {
public:
  Placer(const Intent& intent, const Topology& node, const std::string& text)
      : intent_(intent), node_(node), text_(text), nodes_(intent.nodes.value_or(1)) {
    units_ = units_of(node, usable_cores(intent, node), intent.hardware_threads);
  }

  Placement place() {
    result_.nodes = nodes_;
    if (units_.empty()) fail("no core is left for the ranks", "leave fewer cores free");
    if (intent_.per) {
      place_per();
    } else {
      place_all();
    }
    return std::move(result_);
  }

private:
  [[noreturn]] void fail(const std::string& reason, const std::string& remedy) const {
    throw Error(fmt::format("\"{}\"", text_), reason, remedy);
  }

  [[nodiscard]] std::string unit_name() const {
    return intent_.hardware_threads ? "hardware thread" : "core";
  }

  void add(int node, const std::vector<Unit>& units) {
    RankSpot spot;
    spot.node = node;
    for (const Unit& unit : units) {
      spot.pus |= unit.pus;
      if (spot.cores.empty() || spot.cores.back() != unit.core) spot.cores.push_back(unit.core);
    }
    std::sort(spot.cores.begin(), spot.cores.end());
    spot.whole_cores = spot.pus == node_.pus_of(spot.cores);
    result_.ranks.push_back(std::move(spot));
  }

  /// The units of each place of the requested kind, in core order.
  [[nodiscard]] std::vector<std::vector<Unit>> unit_groups() const {
    const auto groups = groups_of(node_, intent_.place);
    if (groups.empty()) {
      fail(fmt::format("this machine has no {}", place_name(intent_.place)),
           "plait machine show lists what it has; \"cache\" is the largest cache that cores share");
    }
    std::vector<std::vector<Unit>> result;
    for (const std::vector<int>& group : groups) {
      std::vector<Unit> units;
      for (const Unit& unit : units_) {
        if (std::find(group.begin(), group.end(), unit.core) != group.end()) units.push_back(unit);
      }
      if (!units.empty()) result.push_back(std::move(units));
    }
    return result;
  }

  /// The number of threads that fills the smallest of the places used.
  [[nodiscard]] int filling_threads(const std::vector<std::vector<Unit>>& groups, int used) const {
    std::vector<std::size_t> sizes;
    for (const auto& group : groups) sizes.push_back(group.size());
    std::sort(sizes.rbegin(), sizes.rend());
    const auto smallest =
        sizes[static_cast<std::size_t>(std::clamp(used, 1, static_cast<int>(sizes.size())) - 1)];
    return static_cast<int>(smallest) / *intent_.per;
  }

  /// `per` ranks in each place of a kind.
  void place_per() {
    auto groups = unit_groups();
    const int per = *intent_.per;
    const int places = static_cast<int>(groups.size());
    const int wanted = intent_.ranks.value_or(per * places * nodes_);
    const int most_here = (wanted + nodes_ - 1) / nodes_;
    const int places_used = (most_here + per - 1) / per;
    const int threads = intent_.threads.value_or(filling_threads(groups, places_used));
    const bool too_small = std::all_of(groups.begin(), groups.end(), [&](const auto& group) {
      return static_cast<int>(group.size()) < per;
    });
    if (intent_.shared || threads < 1 || (threads == 1 && too_small)) {
      place_sharing(groups);
      return;
    }
    result_.threads = threads;
    const auto needed = static_cast<std::size_t>(per) * static_cast<std::size_t>(threads);
    const std::size_t before = groups.size();
    std::erase_if(groups, [&](const auto& group) { return group.size() < needed; });
    if (groups.size() < before) {
      result_.notes.push_back(
          fmt::format("left out {} of {} with fewer than {}", before - groups.size(),
                      counted(before, place_name(intent_.place)), counted(needed, unit_name())));
    }
    const int room = per * static_cast<int>(groups.size());
    const int ranks = intent_.ranks.value_or(room * nodes_);
    if (ranks < 1 || ranks > room * nodes_) per_does_not_fit(ranks, room, before, needed);
    const std::vector<int> share = shares(ranks, nodes_);
    const std::vector<int> chosen = chosen_groups(groups, (share.front() + per - 1) / per);
    for (int node = 0; node < nodes_; ++node) {
      for (int rank = 0; rank < share[static_cast<std::size_t>(node)]; ++rank) {
        const int place = chosen[static_cast<std::size_t>(rank / per)];
        const auto& group = groups[static_cast<std::size_t>(place)];
        const auto first = group.begin() + static_cast<std::ptrdiff_t>(rank % per) * threads;
        add(node, {first, first + threads});
      }
    }
  }

  /// `per` ranks in each place of a kind, each of them on all its cores.
  void place_sharing(const std::vector<std::vector<Unit>>& groups) {
    const int per = *intent_.per;
    result_.shared = true;
    result_.threads = intent_.threads.value_or(1);
    const int room = per * static_cast<int>(groups.size());
    const int ranks = intent_.ranks.value_or(room * nodes_);
    if (ranks > room * nodes_) {
      fail(fmt::format("{} do not fit: {} per node with {} each", counted(ranks, "rank"),
                       counted(groups.size(), place_name(intent_.place)), counted(per, "rank")),
           fmt::format("ask for at most {} on {}", counted(room * nodes_, "rank"),
                       counted(nodes_, "node")));
    }
    const std::vector<int> share = shares(ranks, nodes_);
    const std::vector<int> chosen = chosen_groups(groups, (share.front() + per - 1) / per);
    int most = 0;
    for (int node = 0; node < nodes_; ++node) {
      for (int rank = 0; rank < share[static_cast<std::size_t>(node)]; ++rank) {
        const int place = chosen[static_cast<std::size_t>(rank / per)];
        add(node, groups[static_cast<std::size_t>(place)]);
        most = std::max(most, rank % per + 1);
      }
    }
    if (most == 1) return;
    result_.notes.push_back(
        fmt::format("up to {} share one {}; whether that pays depends on the program: compare "
                    "both with plait apply",
                    counted(most, "rank"), place_name(intent_.place)));
  }

  [[noreturn]] void per_does_not_fit(int ranks, int room, std::size_t places,
                                     std::size_t needed) const {
    fail(fmt::format("{} do not fit: {} of {} per node {} {} or more", counted(ranks, "rank"),
                     room / *intent_.per, counted(places, place_name(intent_.place)),
                     room == *intent_.per ? "has" : "have", counted(needed, unit_name())),
         room > 0 ? fmt::format("ask for at most {} on {}", counted(room * nodes_, "rank"),
                                counted(nodes_, "node"))
                  : "ask for fewer threads, or add \"shared\"");
  }

  /// The places to use when there are more than needed: the first ones, or spread over all.
  [[nodiscard]] std::vector<int> chosen_groups(const std::vector<std::vector<Unit>>& groups,
                                               int used) const {
    std::vector<int> chosen(groups.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    if (!intent_.spread.value_or(false)) return chosen;
    std::vector<Unit> firsts;
    for (const auto& group : groups) firsts.push_back(group.front());
    const auto spread =
        spread_units(node_, firsts, std::min(used, static_cast<int>(firsts.size())), 1);
    chosen.clear();
    for (const auto& one : spread) {
      const auto at = std::find_if(firsts.begin(), firsts.end(),
                                   [&](const Unit& unit) { return unit.core == one.front().core; });
      chosen.push_back(static_cast<int>(at - firsts.begin()));
    }
    return chosen;
  }

  /// Places ranks on the whole node, packed or spread.
  void place_all() {
    result_.threads = intent_.threads.value_or(1);
    const std::vector<int> share = shares(*intent_.ranks, nodes_);
    const int needed = share.front() * result_.threads;
    const int there = static_cast<int>(units_.size());
    if (needed > there) {
      const int cores = static_cast<int>(node_.allowed_cores().size());
      fail(fmt::format("{} x {} need {} per node; a node has {}{}", counted(share.front(), "rank"),
                       counted(result_.threads, "thread"), counted(needed, unit_name()), there,
                       intent_.cores_free > 0 ? " besides those left free" : ""),
           fmt::format("ask for at most {}{}",
                       there >= result_.threads
                           ? counted(there / result_.threads, "rank") + " per node, or more nodes"
                           : counted(there, "thread") + " per rank",
                       !intent_.hardware_threads && node_.allowed_pus.count() > cores
                           ? ", or add \"hardware threads\""
                       : result_.threads == 1 && intent_.cores_free == 0
                           ? fmt::format(", or let ranks share cores: \"{} per core\"",
                                         (needed + there - 1) / there)
                           : ""));
    }
    if (!intent_.spread) {
      result_.notes.emplace_back("packed, because the request names neither packed nor spread");
    }
    for (int node = 0; node < nodes_; ++node) {
      const int ranks = share[static_cast<std::size_t>(node)];
      if (ranks == 0) continue;
      const auto units = intent_.spread.value_or(false)
                             ? spread_units(node_, units_, ranks, result_.threads)
                             : packed_units(node_, units_, ranks, result_.threads);
      for (const auto& rank : units) add(node, rank);
    }
  }

  const Intent& intent_;
  const Topology& node_;
  const std::string& text_;
  int nodes_;
  std::vector<Unit> units_;
  Placement result_;
};

}  // namespace

Placement place_ranks(const Intent& intent, const Topology& node, const std::string& text) {
  return Placer(intent, node, text).place();
}

}  // namespace plait::placement
