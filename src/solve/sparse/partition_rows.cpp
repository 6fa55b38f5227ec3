// SPDX-License-Identifier: BSD-3-Clause
// Partitions the rows of a symmetric pattern with the mapper's search.
#include <algorithm>
#include <cstddef>

#include "mapping/search/multilevel.hpp"
#include "plait/error.hpp"
#include "plait/sparse_matrix.hpp"

namespace plait {
namespace {

mapping::WeightedGraph graph_of(const SparseRows<int>& rows) {
  const auto size = static_cast<int>(rows.starts.size()) - 1;
  mapping::WeightedGraph graph;
  graph.arcs.reserve(rows.columns.size());
  for (int row = 0; row < size; ++row) {
    int before = -1;
    for (auto k = static_cast<std::size_t>(rows.starts[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(rows.starts[static_cast<std::size_t>(row) + 1]); ++k) {
      const int column = rows.columns[k];
      if (column <= before || column >= size) {
        throw Error("sparse pattern", "row " + std::to_string(row) + " is out of order",
                    "give columns in ascending order, each once");
      }
      before = column;
      if (column != row) graph.arcs.push_back({column, 1, 1});
    }
    graph.first.push_back(graph.arcs.size());
  }
  for (int row = 0; row < size; ++row) {
    for (const mapping::Arc& arc : graph.of(row)) {
      const auto back = graph.of(arc.to);
      if (!std::binary_search(
              back.begin(), back.end(), mapping::Arc{row},
              [](const mapping::Arc& a, const mapping::Arc& b) { return a.to < b.to; })) {
        throw Error("sparse pattern", "not symmetric", "give both of each pair of entries");
      }
    }
  }
  return graph;
}

}  // namespace

std::vector<int> partition_rows(const SparseRows<int>& rows, int parts) {
  if (parts < 1 || rows.starts.empty()) {
    throw Error("sparse pattern", "no rows or no parts", "give at least 1 part");
  }
  const mapping::WeightedGraph graph = graph_of(rows);
  std::vector<int> capacity(static_cast<std::size_t>(parts), graph.size() / parts);
  for (int part = 0; part < graph.size() % parts; ++part)
    ++capacity[static_cast<std::size_t>(part)];
  constexpr int kTries = 4;
  constexpr unsigned kSeed = 1;
  return mapping::recursive_bisection(graph, capacity, mapping::Fill::even, kTries, kSeed);
}

}  // namespace plait
