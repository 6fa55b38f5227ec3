// SPDX-License-Identifier: BSD-3-Clause
// Converts the graph of a request for the search, and extracts parts of it.
#include "mapping/search/weighted_graph.hpp"

#include <cmath>
#include <string>

#include "plait/error.hpp"

namespace plait::mapping {
namespace {

[[noreturn]] void refuse(int process, const std::string& reason) {
  throw Error(
      "graph of processes", "process " + std::to_string(process) + " " + reason,
      "give neighbours in ascending order, each pair from both ends, with bytes of 0 or more");
}

void check_sizes(const Graph& graph) {
  const std::size_t pairs = graph.to.size();
  const bool fits = !graph.first.empty() && graph.first.front() == 0 &&
                    graph.first.back() == static_cast<std::int64_t>(pairs) &&
                    graph.bytes.size() == pairs &&
                    (graph.messages.empty() || graph.messages.size() == pairs);
  if (!fits) {
    throw Error("graph of processes", "the lengths of its arrays do not match",
                "give one offset per process and the bytes of each neighbour");
  }
}

void check_row(const Graph& graph, int process) {
  const auto p = static_cast<std::size_t>(process);
  if (graph.first[p] > graph.first[p + 1]) refuse(process, "has a row that ends before it starts");
  int previous = -1;
  for (auto i = static_cast<std::size_t>(graph.first[p]);
       i < static_cast<std::size_t>(graph.first[p + 1]); ++i) {
    if (graph.to[i] < 0 || graph.to[i] >= graph.size()) refuse(process, "has an unknown neighbour");
    if (graph.to[i] == process) refuse(process, "is its own neighbour");
    if (graph.to[i] <= previous) refuse(process, "has neighbours out of order");
    previous = graph.to[i];
    const double messages = graph.messages.empty() ? 1 : graph.messages[i];
    if (!(graph.bytes[i] >= 0) || std::isinf(graph.bytes[i]) || !(messages >= 0) ||
        std::isinf(messages)) {
      refuse(process, "sends a negative number of bytes or messages");
    }
  }
}

}  // namespace

WeightedGraph weighted_graph(const MappingRequest& request) {
  const Graph& graph = request.graph;
  check_sizes(graph);
  const int size = graph.size();
  for (int process = 0; process < size; ++process) check_row(graph, process);

  WeightedGraph result;
  result.first.assign(graph.first.begin(), graph.first.end());
  result.arcs.resize(graph.to.size());
  const PathCost& card = request.costs.card;
  // Processes are visited in order and rows ascend, so the counterparts of the entries of a row
  // come in order as well.
  std::vector<std::size_t> counterpart(result.first.begin(), result.first.end() - 1);
  for (int process = 0; process < size; ++process) {
    const auto p = static_cast<std::size_t>(process);
    for (std::size_t i = result.first[p]; i < result.first[p + 1]; ++i) {
      const auto other = static_cast<std::size_t>(graph.to[i]);
      const std::size_t back = counterpart[other]++;
      if (back >= result.first[other + 1] || graph.to[back] != process) {
        refuse(process, "has a neighbour that does not list it");
      }
      const double bytes = (graph.bytes[i] + graph.bytes[back]) / 2;
      const double messages =
          graph.messages.empty() ? 1 : (graph.messages[i] + graph.messages[back]) / 2;
      result.arcs[i] = {graph.to[i], bytes, bytes};
      if (request.goal == Goal::exchange_time) {
        result.arcs[i].load = messages * card.seconds + bytes * card.seconds_per_byte;
      }
    }
  }
  return result;
}

WeightedGraph part_of_graph(const WeightedGraph& graph, const std::vector<int>& members,
                            std::vector<int>& local) {
  WeightedGraph part;
  part.first.reserve(members.size() + 1);
  int next = 0;
  for (const int process : members) local[static_cast<std::size_t>(process)] = next++;
  for (const int process : members) {
    for (const Arc& arc : graph.of(process)) {
      const int to = local[static_cast<std::size_t>(arc.to)];
      if (to >= 0) part.arcs.push_back({to, arc.weight, arc.load});
    }
    part.first.push_back(part.arcs.size());
  }
  for (const int process : members) local[static_cast<std::size_t>(process)] = -1;
  return part;
}

}  // namespace plait::mapping
