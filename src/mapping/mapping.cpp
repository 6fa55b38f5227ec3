// SPDX-License-Identifier: BSD-3-Clause
// The default costs of messages, and the score of an assignment.
#include "mapping/mapping.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "plait/error.hpp"

namespace plait::mapping {
namespace {

/// The traffic through the network card of a node.
struct Card {
  double sent_s = 0;
  double received_s = 0;
  double bytes = 0;  ///< both directions
};

/// The time of a process for messages inside its node.
struct Inside {
  double sent_s = 0;
  double received_s = 0;
};

double seconds(const PathCost& path, double messages, double bytes) {
  return messages * path.seconds + bytes * path.seconds_per_byte;
}

}  // namespace

Costs default_costs() {
  Costs costs;
  // Shared memory: from the other package to the shared cache.
  costs.path[0] = {0.9e-6, 1 / 5e9};
  costs.path[1] = {0.6e-6, 1 / 7e9};
  costs.path[2] = {0.5e-6, 1 / 8e9};
  costs.path[3] = {0.3e-6, 1 / 10e9};
  costs.path[4] = {0.3e-6, 1 / 10e9};
  // A card of 100 Gbit/s. It is busy with a message for much less time than the latency.
  costs.path[kLevels] = {2e-6, 1 / 12e9};
  costs.card = {0.2e-6, 1 / 12.5e9};
  return costs;
}

Score score_of(const MappingRequest& request, const std::vector<int>& slot_of) {
  const Graph& graph = request.graph;
  if (static_cast<int>(slot_of.size()) != graph.size()) {
    throw Error("mapping of " + std::to_string(slot_of.size()) + " processes",
                "the graph has " + std::to_string(graph.size()), "give one slot per process");
  }
  std::map<int, std::size_t> number;
  std::vector<Card> cards;
  std::vector<std::size_t> node_of(slot_of.size());
  for (std::size_t p = 0; p < slot_of.size(); ++p) {
    if (slot_of[p] < 0 || slot_of[p] >= request.slots.size()) {
      throw Error("mapping", "slot " + std::to_string(slot_of[p]) + " does not exist",
                  "give numbers from 0 to " + std::to_string(request.slots.size() - 1));
    }
    const auto [own, isnew] = number.try_emplace(request.slots.node_of(slot_of[p]), number.size());
    node_of[p] = own->second;
  }
  cards.resize(number.size());
  std::vector<Inside> inside(slot_of.size());

  Score score;
  double both_ways = 0;  // bytes between nodes
  double distance = 0;
  std::int64_t cut = 0;
  for (std::size_t p = 0; p < slot_of.size(); ++p) {
    const Slot& own = request.slots.of[static_cast<std::size_t>(slot_of[p])];
    for (auto i = static_cast<std::size_t>(graph.first[p]);
         i < static_cast<std::size_t>(graph.first[p + 1]); ++i) {
      const auto q = static_cast<std::size_t>(graph.to[i]);
      const Slot& other = request.slots.of[static_cast<std::size_t>(slot_of[q])];
      const double messages = graph.messages.empty() ? 1 : graph.messages[i];
      const std::size_t level = meeting_level(own, other);
      distance += graph.bytes[i] * request.distance[level];
      if (level < kLevels) {
        const double time_s = seconds(request.costs.path[level], messages, graph.bytes[i]);
        inside[p].sent_s += time_s;
        inside[q].received_s += time_s;
        continue;
      }
      ++cut;
      both_ways += graph.bytes[i];
      const double time_s = seconds(request.costs.card, messages, graph.bytes[i]);
      cards[node_of[p]].sent_s += time_s;
      cards[node_of[p]].bytes += graph.bytes[i];
      cards[node_of[q]].received_s += time_s;
      cards[node_of[q]].bytes += graph.bytes[i];
    }
  }
  for (const Inside& process : inside) {
    score.time_s = std::max({score.time_s, process.sent_s, process.received_s});
  }
  for (const Card& card : cards) {
    score.time_s = std::max({score.time_s, card.sent_s, card.received_s});
    score.busiest_node = std::max(score.busiest_node, card.bytes / 2);
  }
  if (cut > 0) score.time_s += request.costs.path[kLevels].seconds;
  score.cut = both_ways / 2;
  score.distance = distance / 2;
  score.cut_pairs = cut / 2;
  score.pairs = static_cast<std::int64_t>(graph.to.size()) / 2;
  return score;
}

}  // namespace plait::mapping
