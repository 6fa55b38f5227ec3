// SPDX-License-Identifier: BSD-3-Clause
// Searches for a mapping of processes that do not fit into each other's slots.
#include "mapping/search/map_within_classes.hpp"

#include <map>
#include <numeric>

#include "mapping/search/map_processes.hpp"
#include "mapping/search/portfolio.hpp"

namespace plait::mapping {
namespace {

/// The messages between some of the processes. @param members  ascending
Graph graph_between(const Graph& graph, const std::vector<int>& members) {
  std::vector<int> local(static_cast<std::size_t>(graph.size()), -1);
  for (std::size_t i = 0; i < members.size(); ++i) {
    local[static_cast<std::size_t>(members[i])] = static_cast<int>(i);
  }
  Graph part;
  part.first = {0};
  for (const int member : members) {
    const auto p = static_cast<std::size_t>(member);
    for (auto i = static_cast<std::size_t>(graph.first[p]);
         i < static_cast<std::size_t>(graph.first[p + 1]); ++i) {
      const int to = local[static_cast<std::size_t>(graph.to[i])];
      if (to < 0) continue;
      part.to.push_back(to);
      part.bytes.push_back(graph.bytes[i]);
      if (!graph.messages.empty()) part.messages.push_back(graph.messages[i]);
    }
    part.first.push_back(static_cast<decltype(part.first)::value_type>(part.to.size()));
  }
  return part;
}

/// The request for one class: its processes, in the slots in which they are now.
MappingRequest request_of(const MappingRequest& whole, const std::vector<int>& now,
                          const std::vector<int>& members) {
  MappingRequest own;
  own.graph = graph_between(whole.graph, members);
  for (const int member : members) {
    const auto slot = static_cast<std::size_t>(now[static_cast<std::size_t>(member)]);
    own.slots.of.push_back(whole.slots.of[slot]);
  }
  own.costs = whole.costs;
  own.goal = whole.goal;
  own.distance = whole.distance;
  own.time_limit_s = whole.time_limit_s;
  return own;
}

}  // namespace

MappingResult map_within_classes(const MappingRequest& request, const std::vector<int>& class_of) {
  if (class_of.empty()) return map_processes(request);
  MappingResult result;
  result.slot_of = request.now;
  if (result.slot_of.empty()) {
    result.slot_of.resize(static_cast<std::size_t>(request.graph.size()));
    std::iota(result.slot_of.begin(), result.slot_of.end(), 0);
  }
  const std::vector<int> now = result.slot_of;
  result.before = score_of(request, now);
  std::map<int, std::vector<int>> classes;
  for (std::size_t p = 0; p < class_of.size(); ++p) {
    classes[class_of[p]].push_back(static_cast<int>(p));
  }
  const double begin = clock_s();
  for (const auto& [name, members] : classes) {
    const MappingResult own = map_processes(request_of(request, now, members));
    for (std::size_t i = 0; i < members.size(); ++i) {
      const int there = members[static_cast<std::size_t>(own.slot_of[i])];
      result.slot_of[static_cast<std::size_t>(members[i])] = now[static_cast<std::size_t>(there)];
    }
  }
  result.after = score_of(request, result.slot_of);
  result.method = "within parts";
  result.candidates = {{"observed", result.before, 0},
                       {result.method, result.after, clock_s() - begin}};
  if (better(result.after, result.before, request.goal)) return result;
  result.slot_of = now;
  result.after = result.before;
  result.method = "observed";
  result.nothing_to_gain = true;
  return result;
}

}  // namespace plait::mapping
