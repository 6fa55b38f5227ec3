// SPDX-License-Identifier: BSD-3-Clause
// Turns the node of each process into a slot, level by level.
#include "mapping/search/arrange.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "mapping/search/multilevel.hpp"
#include "mapping/search/refine.hpp"

namespace plait::mapping {
namespace {

class Arrangement {
public:
  explicit Arrangement(const Problem& problem)
      : problem_(problem),
        local_(static_cast<std::size_t>(problem.processes()), -1),
        slot_of_(local_.size(), -1) {}

  std::vector<int> run(const std::vector<int>& node_of) {
    std::vector<std::vector<int>> members(problem_.slots.size());
    for (std::size_t p = 0; p < node_of.size(); ++p) {
      members[static_cast<std::size_t>(node_of[p])].push_back(static_cast<int>(p));
    }
    for (std::size_t node = 0; node < members.size(); ++node) {
      place(members[node], problem_.slots[node], 0);
    }
    return std::move(slot_of_);
  }

private:
  /// Assigns processes to slots that share one group of `level`.
  void place(const std::vector<int>& members, const std::vector<int>& slots, std::size_t level) {
    if (members.empty()) return;
    if (level + 1 >= kLevels) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        slot_of_[static_cast<std::size_t>(members[i])] = slots[i];
      }
      return;
    }
    std::vector<std::vector<int>> groups;
    int last = -1;
    for (const int slot : slots) {
      const int group = problem_.request.slots.of[static_cast<std::size_t>(slot)][level + 1];
      if (groups.empty() || group != last) groups.emplace_back();
      groups.back().push_back(slot);
      last = group;
    }
    std::vector<int> capacity;
    for (const auto& group : groups) capacity.push_back(static_cast<int>(group.size()));
    if (groups.size() == 1) {
      place(members, groups.front(), level + 1);
    } else if (groups.size() == slots.size()) {  // one slot per group: all divisions are alike
      for (std::size_t i = 0; i < members.size(); ++i) place({members[i]}, groups[i], level + 1);
    } else {
      divide(members, groups, capacity, level + 1);
    }
  }

  void divide(const std::vector<int>& members, const std::vector<std::vector<int>>& groups,
              const std::vector<int>& capacity, std::size_t level) {
    constexpr int tries = 2;
    constexpr std::int64_t visits_per_pair = 40;
    const WeightedGraph graph = part_of_graph(problem_.graph, members, local_);
    Partition partition(graph, capacity, recursive_bisection(graph, capacity, Fill::any, tries, 1),
                        Aim::cut_then_load);
    refine(partition, visits_per_pair * static_cast<std::int64_t>(graph.arcs.size() + 1));
    std::vector<std::vector<int>> shares(groups.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      shares[static_cast<std::size_t>(partition.of_process()[i])].push_back(members[i]);
    }
    for (std::size_t group = 0; group < groups.size(); ++group) {
      place(shares[group], groups[group], level);
    }
  }

  const Problem& problem_;
  std::vector<int> local_;
  std::vector<int> slot_of_;
};

/// The change when a process moves to another slot. Its pair with `other` is unchanged.
double change_of(const Problem& problem, const std::vector<int>& slot_of, int process, int to,
                 int other) {
  const auto& slots = problem.request.slots.of;
  const auto slot = [&](int p) -> const Slot& {
    return slots[static_cast<std::size_t>(slot_of[static_cast<std::size_t>(p)])];
  };
  double sum = 0;
  for (const Arc& arc : problem.graph.of(process)) {
    if (arc.to == other) continue;
    const Slot& at = slot(arc.to);
    sum += arc.weight * (problem.distance[meeting_level(slots[static_cast<std::size_t>(to)], at)] -
                         problem.distance[meeting_level(slot(process), at)]);
  }
  return sum;
}

/// Renames nodes of equal capacity so that many processes stay on their node, largest overlaps
/// first.
void keep_near(const Problem& problem, std::vector<int>& node_of) {
  const std::vector<int> before = problem.nodes_of(problem.now);
  std::vector<std::pair<int, int>> moves;  // from the partition's node to the present one
  moves.reserve(node_of.size());
  for (std::size_t p = 0; p < node_of.size(); ++p) moves.emplace_back(node_of[p], before[p]);
  std::sort(moves.begin(), moves.end());
  std::vector<std::tuple<int, int, int>> overlaps;  // minus the number, part, node
  for (std::size_t i = 0; i < moves.size();) {
    std::size_t j = i;
    while (j < moves.size() && moves[j] == moves[i]) ++j;
    overlaps.emplace_back(static_cast<int>(i) - static_cast<int>(j), moves[i].first,
                          moves[i].second);
    i = j;
  }
  std::sort(overlaps.begin(), overlaps.end());

  const auto nodes = static_cast<std::size_t>(problem.nodes());
  std::vector<int> name(nodes, -1);
  std::vector<char> taken(nodes, 0);
  const auto capacity = [&](std::size_t node) { return problem.capacity[node]; };
  const auto match = [&](std::size_t part, std::size_t node) {
    if (name[part] >= 0 || taken[node] != 0 || capacity(part) != capacity(node)) return;
    name[part] = static_cast<int>(node);
    taken[node] = 1;
  };
  for (const auto& [number, part, node] : overlaps) {
    match(static_cast<std::size_t>(part), static_cast<std::size_t>(node));
  }
  for (std::size_t node = 0; node < nodes; ++node) match(node, node);
  std::vector<std::pair<int, std::size_t>> free;  // nodes not yet taken, by capacity
  for (std::size_t node = 0; node < nodes; ++node) {
    if (taken[node] == 0) free.emplace_back(capacity(node), node);
  }
  std::sort(free.begin(), free.end());
  for (std::size_t part = 0; part < nodes; ++part) {
    if (name[part] >= 0) continue;
    const auto own =
        std::lower_bound(free.begin(), free.end(), std::pair<int, std::size_t>{capacity(part), 0});
    name[part] = static_cast<int>(own->second);
    free.erase(own);
  }
  for (int& node : node_of) node = name[static_cast<std::size_t>(node)];
}

}  // namespace

std::vector<int> slots_for(const Problem& problem, std::vector<int> node_of) {
  keep_near(problem, node_of);
  const std::vector<int> before = problem.nodes_of(problem.now);
  std::vector<int> slot_of(node_of.size(), -1);
  std::vector<char> taken(problem.node_of_slot.size(), 0);
  for (std::size_t p = 0; p < node_of.size(); ++p) {
    if (before[p] != node_of[p]) continue;
    slot_of[p] = problem.now[p];
    taken[static_cast<std::size_t>(slot_of[p])] = 1;
  }
  std::vector<std::size_t> next(problem.slots.size(), 0);
  for (std::size_t p = 0; p < node_of.size(); ++p) {
    if (slot_of[p] >= 0) continue;
    const auto node = static_cast<std::size_t>(node_of[p]);
    while (taken[static_cast<std::size_t>(problem.slots[node][next[node]])] != 0) ++next[node];
    slot_of[p] = problem.slots[node][next[node]++];
  }
  return slot_of;
}

std::vector<int> arranged(const Problem& problem, const std::vector<int>& node_of) {
  return Arrangement(problem).run(node_of);
}

void exchange_inside(const Problem& problem, std::vector<int>& slot_of, double most_visits) {
  std::vector<int> occupant(problem.node_of_slot.size(), -1);
  for (std::size_t p = 0; p < slot_of.size(); ++p) {
    occupant[static_cast<std::size_t>(slot_of[p])] = static_cast<int>(p);
  }
  for (bool improved = true; improved && most_visits > 0;) {
    improved = false;
    for (int process = 0; process < problem.processes() && most_visits > 0; ++process) {
      const int from = slot_of[static_cast<std::size_t>(process)];
      const int node = problem.node_of_slot[static_cast<std::size_t>(from)];
      double best = -1e-9 * problem.distance[0];
      int best_slot = -1;
      for (const int to : problem.slots[static_cast<std::size_t>(node)]) {
        if (to == from) continue;
        const int other = occupant[static_cast<std::size_t>(to)];
        double change = change_of(problem, slot_of, process, to, other);
        if (other >= 0) change += change_of(problem, slot_of, other, from, process);
        most_visits -= 4 * static_cast<double>(problem.graph.of(process).size());
        if (change < best) {
          best = change;
          best_slot = to;
        }
      }
      if (best_slot < 0) continue;
      const int other = occupant[static_cast<std::size_t>(best_slot)];
      slot_of[static_cast<std::size_t>(process)] = best_slot;
      if (other >= 0) slot_of[static_cast<std::size_t>(other)] = from;
      std::swap(occupant[static_cast<std::size_t>(from)],
                occupant[static_cast<std::size_t>(best_slot)]);
      improved = true;
    }
  }
}

}  // namespace plait::mapping
