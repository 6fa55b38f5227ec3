// SPDX-License-Identifier: BSD-3-Clause
// Searches for a mapping with a portfolio of methods, each refined within the capacities.
#include "mapping/search/map_processes.hpp"

#include <algorithm>

#include "mapping/search/block_order.hpp"
#include "mapping/search/multilevel.hpp"
#include "mapping/search/plane_cuts.hpp"
#include "mapping/search/portfolio.hpp"

namespace plait::mapping {
namespace {

/// The number of processes on each node: as many as now.
std::vector<int> sizes_now(const Problem& problem) {
  std::vector<int> sizes(problem.capacity.size(), 0);
  for (const int node : problem.nodes_of(problem.now)) ++sizes[static_cast<std::size_t>(node)];
  return sizes;
}

/// The number of processes on each node: the first nodes full, so that spare slots are on the last.
std::vector<int> sizes_full(const Problem& problem) {
  std::vector<int> sizes;
  int left = problem.processes();
  for (const int capacity : problem.capacity) {
    sizes.push_back(std::min(left, capacity));
    left -= sizes.back();
  }
  return sizes;
}

/// The node of each process if nodes are filled in this order of processes.
std::vector<int> dealt(const std::vector<int>& order, const std::vector<int>& sizes) {
  std::vector<int> node_of(order.size());
  std::size_t at = 0;
  for (std::size_t node = 0; node < sizes.size(); ++node) {
    for (int i = 0; i < sizes[node]; ++i) {
      node_of[static_cast<std::size_t>(order[at++])] = static_cast<int>(node);
    }
  }
  return node_of;
}

void enter_geometry(const Problem& problem, const std::vector<int>& sizes, Portfolio& portfolio) {
  const Cartesian& grid = *problem.request.grid;
  for (const CutAxis axis : {CutAxis::least_sent, CutAxis::longest}) {
    const double begin = clock_s();
    portfolio.enter(axis == CutAxis::longest ? "k-d tree" : "hyperplanes",
                    plane_cuts(grid, sizes, axis), begin);
  }
  const double begin = clock_s();
  if (const std::vector<int> order = hilbert_order(grid.dims); !order.empty()) {
    portfolio.enter("Hilbert curve", dealt(order, sizes), begin);
  }
  const int largest = *std::max_element(sizes.begin(), sizes.end());
  constexpr std::size_t blocks = 4;
  for (const bool snake : {false, true}) {
    for (const std::vector<int>& block : promising_blocks(grid, largest, blocks)) {
      const double start = clock_s();
      portfolio.enter(snake ? "strips" : "subdomain_map",
                      dealt(block_order(grid.dims, block, snake), sizes), start);
    }
  }
}

void enter_graph_methods(const Problem& problem, const std::vector<std::vector<int>>& all_sizes,
                         Portfolio& portfolio) {
  // Small graphs afford many tries; large ones need the time for their refinement.
  const bool small = problem.processes() <= 600;
  const int tries = small ? 16 : 3;
  const unsigned seeds = small ? 4 : 1;
  const bool spare = problem.processes() < problem.request.slots.size();
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const double begin = clock_s();
    portfolio.enter("multilevel",
                    recursive_bisection(problem.graph, problem.capacity, Fill::any, tries, seed),
                    begin);
  }
  if (spare) {
    const double begin = clock_s();
    portfolio.enter("multilevel, spread",
                    recursive_bisection(problem.graph, problem.capacity, Fill::even, tries, 1),
                    begin);
  }
  for (const std::vector<int>& sizes : all_sizes) {
    const double begin = clock_s();
    portfolio.enter("growth", greedy_growth(problem.graph, sizes), begin);
  }
}

}  // namespace

MappingResult map_processes(const MappingRequest& request) {
  const Problem problem(request);
  Portfolio portfolio(problem);
  if (problem.processes() == 0) return portfolio.result();
  const double begin = clock_s();
  portfolio.enter("swaps", problem.nodes_of(problem.now), begin);
  if (problem.nodes() > 1) {
    std::vector<std::vector<int>> all_sizes{sizes_full(problem)};
    if (const std::vector<int> now = sizes_now(problem); now != all_sizes.front()) {
      all_sizes.push_back(now);
    }
    if (request.grid) {
      for (const std::vector<int>& sizes : all_sizes) enter_geometry(problem, sizes, portfolio);
    }
    enter_graph_methods(problem, all_sizes, portfolio);
  }
  portfolio.refine_best();
  if (problem.nodes() > 1) portfolio.anneal_best();
  portfolio.arrange_best();
  return portfolio.result();
}

}  // namespace plait::mapping
