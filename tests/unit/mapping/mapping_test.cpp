// SPDX-License-Identifier: BSD-3-Clause
// Tests of the search for a mapping: legal, never worse, the same each time; scores; errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "mapping/search/map_processes.hpp"
#include "plait/error.hpp"
#include "random.hpp"
#include "tasks.hpp"

namespace plait::mapping {
namespace {

using bench::grid_on_nodes;
using test::Random;

void expect_legal(const MappingRequest& request, const std::vector<int>& slot_of) {
  ASSERT_EQ(static_cast<int>(slot_of.size()), request.graph.size());
  const std::set<int> taken(slot_of.begin(), slot_of.end());
  EXPECT_EQ(taken.size(), slot_of.size()) << "two processes in a slot";
  for (const int slot : taken) {
    EXPECT_GE(slot, 0);
    EXPECT_LT(slot, request.slots.size());
  }
}

/// The figure that the goal minimizes first.
double first_figure(const Score& score, Goal goal) {
  if (goal == Goal::exchange_time) return score.time_s;
  return goal == Goal::cut ? score.cut : score.distance;
}

/// Any graph: some pairs of processes, some heavy, some that send one way only.
Graph random_graph(Random& random, int size) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<double> bytes(n * n, 0);
  for (int pair = random.in(0, 4 * size); pair > 0; --pair) {
    const auto a = static_cast<std::size_t>(random.in(0, size - 1));
    const auto b = static_cast<std::size_t>(random.in(0, size - 1));
    bytes[a * n + b] = random.in(0, 1000);
    if (random.coin()) bytes[b * n + a] = random.in(0, 1000);
  }
  return graph_of(bytes, size);
}

/// Nodes of any capacity; some are trees with holes, such as L3s of 8, 8, 4 cores.
Slots random_slots(Random& random, int least) {
  Slots slots;
  int package = 0;
  int cache = 0;
  for (int node = 0; slots.size() < least || node < 2; ++node) {
    for (int p = random.in(1, 2); p > 0; --p, ++package) {
      for (int c = random.in(1, 3); c > 0; --c, ++cache) {
        for (int core = random.in(1, 8); core > 0; --core) {
          slots.of.push_back({node, package, package, cache, slots.size()});
        }
      }
    }
  }
  return slots;
}

/// A start in any order.
std::vector<int> random_start(Random& random, int processes, int slots) {
  std::vector<int> all(static_cast<std::size_t>(slots));
  std::iota(all.begin(), all.end(), 0);
  for (int i = slots - 1; i > 0; --i) {
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(random.in(0, i))]);
  }
  all.resize(static_cast<std::size_t>(processes));
  return all;
}

MappingRequest random_request(std::uint64_t seed) {
  Random random(seed);
  MappingRequest request;
  const int processes = random.in(1, 60);
  request.graph = random_graph(random, processes);
  request.slots = random_slots(random, processes);
  request.goal = std::array{Goal::exchange_time, Goal::cut, Goal::distance}[seed % 3];
  request.distance = {10, 5, 3, 1, 0, 100};
  if (random.coin()) request.now = random_start(random, processes, request.slots.size());
  request.time_limit_s = 0.002;
  return request;
}

TEST(Mapping, IsLegalAndNeverWorseThanTheObserved) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const MappingRequest request = random_request(seed);
    const MappingResult result = map_processes(request);
    expect_legal(request, result.slot_of);
    const double before = first_figure(result.before, request.goal);
    EXPECT_LE(first_figure(result.after, request.goal), before * (1 + 1e-9));
    const Score again = score_of(request, result.slot_of);
    EXPECT_DOUBLE_EQ(again.cut, result.after.cut);
    EXPECT_DOUBLE_EQ(again.time_s, result.after.time_s);
    EXPECT_DOUBLE_EQ(again.distance, result.after.distance);
    ASSERT_FALSE(result.candidates.empty());
    EXPECT_EQ(result.candidates.front().method, "observed");
  }
}

TEST(Mapping, IsTheSameEachTime) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const MappingRequest request = random_request(seed);
    EXPECT_EQ(map_processes(request).slot_of, map_processes(request).slot_of) << "seed " << seed;
  }
}

TEST(Mapping, KeepsAMappingThatCannotBeImproved) {
  MappingRequest request = grid_on_nodes({32}, false, {8, 8, 8, 8});
  const MappingResult result = map_processes(request);
  EXPECT_TRUE(result.nothing_to_gain);
  EXPECT_EQ(result.method, "observed");
  std::vector<int> in_order(32);
  std::iota(in_order.begin(), in_order.end(), 0);
  EXPECT_EQ(result.slot_of, in_order);
}

TEST(Mapping, DoesNotMoveAProcessThatCanStay) {
  // Two processes of a line are on each other's node: only these two are moved, not whole nodes.
  MappingRequest request = grid_on_nodes({16}, false, {4, 4, 4, 4});
  request.now.resize(16);
  std::iota(request.now.begin(), request.now.end(), 0);
  std::swap(request.now[1], request.now[9]);
  const MappingResult result = map_processes(request);
  EXPECT_EQ(result.after.cut, 3);
  int moved = 0;
  for (std::size_t p = 0; p < 16; ++p) moved += result.slot_of[p] != request.now[p] ? 1 : 0;
  EXPECT_EQ(moved, 2);
}

TEST(Mapping, ChoosesWhichSlotsStayIdle) {
  // Four processes that all talk to each other fit on the node of four from any start.
  MappingRequest request;
  request.graph = graph_of(std::vector<double>(16, 1), 4);
  request.slots = slots_on_nodes({0, 0, 1, 1, 2, 2, 2, 2});
  request.goal = Goal::cut;
  const MappingResult result = map_processes(request);
  EXPECT_EQ(result.after.cut, 0);
  for (const int slot : result.slot_of) EXPECT_EQ(request.slots.node_of(slot), 2);
}

TEST(Mapping, PutsPairsInsideOneCacheOfANode) {
  // One node of two packages; 0 and 2, and 1 and 3 exchange most.
  MappingRequest request;
  request.graph = graph_of({0, 1, 9, 0, 1, 0, 0, 9, 9, 0, 0, 1, 0, 9, 1, 0}, 4);
  request.slots.of = {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 1, 1, 1, 2}, {0, 1, 1, 1, 3}};
  const auto package_of = [&](int slot) {
    return request.slots.of[static_cast<std::size_t>(slot)][1];
  };
  const MappingResult result = map_processes(request);
  EXPECT_EQ(package_of(result.slot_of[0]), package_of(result.slot_of[2]));
  EXPECT_EQ(package_of(result.slot_of[1]), package_of(result.slot_of[3]));
  EXPECT_LT(result.after.time_s, result.before.time_s);
}

TEST(Mapping, OfNothingIsNothing) {
  const MappingResult empty = map_processes({});
  EXPECT_TRUE(empty.slot_of.empty());
  EXPECT_TRUE(empty.nothing_to_gain);
  MappingRequest silent;  // processes that send nothing
  silent.graph = graph_of(std::vector<double>(25, 0), 5);
  silent.slots = slots_on_nodes({0, 0, 1, 1, 1, 1});
  EXPECT_TRUE(map_processes(silent).nothing_to_gain);
}

TEST(Mapping, OfOneNodeCutsNothing) {
  const MappingResult result = map_processes(grid_on_nodes({3, 3}, true, {9}));
  EXPECT_EQ(result.after.cut, 0);
  EXPECT_TRUE(result.nothing_to_gain);
}

TEST(Mapping, RefusesWhatHasNoSolution) {
  EXPECT_THROW(map_processes(grid_on_nodes({3, 3}, false, {4, 4})), Error);
  MappingRequest request = grid_on_nodes({2, 2}, false, {2, 2});
  request.now = {0, 1, 1, 2};
  EXPECT_THROW(map_processes(request), Error);
  request.now = {0, 1, 2, 4};
  EXPECT_THROW(map_processes(request), Error);
  request.now = {0, 1};
  EXPECT_THROW(map_processes(request), Error);
  request.now = {};
  request.grid->dims = {2, 3};
  EXPECT_THROW(map_processes(request), Error);
}

TEST(Mapping, RefusesInvalidGraphs) {
  MappingRequest request = grid_on_nodes({4}, false, {2, 2});
  request.grid.reset();
  const Graph line = request.graph;  // rows 1 | 0 2 | 1 3 | 2
  const auto refused = [&](const Graph& graph) {
    request.graph = graph;
    EXPECT_THROW(map_processes(request), Error);
  };
  Graph graph = line;
  graph.to[0] = 2;  // 0 lists 2, which does not list it
  refused(graph);
  graph = line;
  graph.to[0] = 0;
  refused(graph);
  graph = line;
  graph.to[0] = 4;
  refused(graph);
  graph = line;
  std::swap(graph.to[1], graph.to[2]);
  refused(graph);
  graph = line;
  graph.bytes[0] = -1;
  refused(graph);
  graph = line;
  graph.bytes.pop_back();
  refused(graph);
}

TEST(Score, CountsCardsAndProcesses) {
  // 0 and 1 on node 0, 2 on node 1: 0 -> 1 100 bytes, 1 -> 2 1000 bytes, 2 -> 1 3000 bytes.
  MappingRequest request;
  request.graph = graph_of({0, 100, 0, 0, 0, 1000, 0, 3000, 0}, 3);
  request.slots = slots_on_nodes({0, 0, 1});
  request.costs.path[0] = {1, 0.5};
  request.costs.path[kLevels] = {7, 0};
  request.costs.card = {2, 0.01};
  request.distance = {1, 0, 0, 0, 0, 10};
  const Score score = score_of(request, {0, 1, 2});
  EXPECT_EQ(score.pairs, 2);
  EXPECT_EQ(score.cut_pairs, 1);
  EXPECT_DOUBLE_EQ(score.cut, 2000);
  EXPECT_DOUBLE_EQ(score.busiest_node, 2000);
  EXPECT_DOUBLE_EQ(score.distance, 50 * 1 + 2000 * 10);
  // Inside: 1 + 50 s. Card: 2 + 30 s one way, so the inside takes longer; plus one latency.
  EXPECT_DOUBLE_EQ(score.time_s, 51 + 7);
  EXPECT_THROW(score_of(request, {0, 1}), Error);
  EXPECT_THROW(score_of(request, {0, 1, 3}), Error);
}

}  // namespace
}  // namespace plait::mapping
