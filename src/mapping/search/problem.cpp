// SPDX-License-Identifier: BSD-3-Clause
// Checks a mapping request and prepares it for the search.
#include "mapping/search/problem.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

#include "plait/error.hpp"

namespace plait::mapping {
namespace {

/// The time to look at a pair, with everything that belongs to it, on a core of 2020.
constexpr double kVisit_s = 1e-8;

/// Default time of the search in seconds: 25 ms up to 1 000 processes, 0.44 s for 10 000, 7.9 s for
/// 100 000.
double default_time_s(int processes) {
  const double thousands = std::max(processes / 1000.0, 1.0);
  return 0.025 * thousands * std::sqrt(std::sqrt(thousands));
}

void check_now(const std::vector<int>& now, int processes, int slots) {
  const std::string name = "present slots of " + std::to_string(processes) + " processes";
  if (static_cast<int>(now.size()) != processes) {
    throw Error(name, std::to_string(now.size()) + " slots are given", "give one slot per process");
  }
  std::vector<char> taken(static_cast<std::size_t>(slots), 0);
  for (const int slot : now) {
    if (slot < 0 || slot >= slots) {
      throw Error(name, "slot " + std::to_string(slot) + " does not exist",
                  "give numbers from 0 to " + std::to_string(slots - 1));
    }
    if (taken[static_cast<std::size_t>(slot)] != 0) {
      throw Error(name, "two processes are in slot " + std::to_string(slot),
                  "give each process its own slot");
    }
    taken[static_cast<std::size_t>(slot)] = 1;
  }
}

/// The cost of an average pair on each level. Only the order and proportions matter.
std::array<double, kLevels + 1> mean_costs(const MappingRequest& request) {
  const Graph& graph = request.graph;
  const double bytes = std::accumulate(graph.bytes.begin(), graph.bytes.end(), 0.0);
  const double messages = graph.messages.empty()
                              ? static_cast<double>(graph.to.size())
                              : std::accumulate(graph.messages.begin(), graph.messages.end(), 0.0);
  std::array<double, kLevels + 1> result{};
  for (std::size_t level = 0; level <= kLevels; ++level) {
    const PathCost& path = request.costs.path[level];
    result[level] = (bytes > 0 ? path.seconds * messages / bytes : 0) + path.seconds_per_byte;
  }
  return result;
}

}  // namespace

Problem::Problem(const MappingRequest& of) : request(of), graph(weighted_graph(of)), now(of.now) {
  const Slots& all = request.slots;
  if (processes() > all.size()) {
    throw Error(std::to_string(processes()) + " processes",
                "there are only " + std::to_string(all.size()) + " slots",
                "give more nodes, or fewer cores per process");
  }
  if (request.grid && request.grid->size() != processes()) {
    throw Error("grid of " + std::to_string(request.grid->size()) + " processes",
                "its graph has " + std::to_string(processes()), "give the graph of this grid");
  }
  if (now.empty()) {
    now.resize(static_cast<std::size_t>(processes()));
    std::iota(now.begin(), now.end(), 0);
  }
  check_now(now, processes(), all.size());

  std::map<int, int> number;
  for (const Slot& slot : all.of) number.try_emplace(slot[0], 0);
  int next = 0;
  for (auto& [name, dense] : number) dense = next++;
  slots.resize(number.size());
  for (int slot = 0; slot < all.size(); ++slot) {
    node_of_slot.push_back(number[all.node_of(slot)]);
    slots[static_cast<std::size_t>(node_of_slot.back())].push_back(slot);
  }
  for (std::vector<int>& own : slots) {
    std::stable_sort(own.begin(), own.end(), [&](int a, int b) {
      return all.of[static_cast<std::size_t>(a)] < all.of[static_cast<std::size_t>(b)];
    });
    capacity.push_back(static_cast<int>(own.size()));
  }

  aim = request.goal == Goal::exchange_time ? Aim::load_then_cut : Aim::cut_then_load;
  distance = request.goal == Goal::distance ? request.distance : mean_costs(request);
  std::array<bool, kLevels + 1> met{};
  for (const std::vector<int>& own : slots) {
    for (std::size_t i = 1; i < own.size(); ++i) {
      met[meeting_level(all.of[static_cast<std::size_t>(own[i - 1])],
                        all.of[static_cast<std::size_t>(own[i])])] = true;
    }
  }
  double low = 0;
  double high = 0;
  bool any = false;
  for (std::size_t level = 0; level < kLevels; ++level) {
    if (!met[level]) continue;
    low = any ? std::min(low, distance[level]) : distance[level];
    high = any ? std::max(high, distance[level]) : distance[level];
    any = true;
  }
  alike_inside = low == high;
  visits = request.time_limit_s.value_or(default_time_s(processes())) / kVisit_s;
}

std::vector<int> Problem::nodes_of(const std::vector<int>& slot_of) const {
  std::vector<int> result;
  result.reserve(slot_of.size());
  for (const int slot : slot_of) result.push_back(node_of_slot[static_cast<std::size_t>(slot)]);
  return result;
}

double Problem::distance_of(const std::vector<int>& slot_of) const {
  double sum = 0;
  for (int process = 0; process < processes(); ++process) {
    const Slot& own =
        request.slots.of[static_cast<std::size_t>(slot_of[static_cast<std::size_t>(process)])];
    for (const Arc& arc : graph.of(process)) {
      const Slot& other =
          request.slots.of[static_cast<std::size_t>(slot_of[static_cast<std::size_t>(arc.to)])];
      sum += arc.weight * distance[meeting_level(own, other)] / 2;
    }
  }
  return sum;
}

}  // namespace plait::mapping
