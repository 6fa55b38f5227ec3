// SPDX-License-Identifier: BSD-3-Clause
// The neighbours of a distributed graph's vertices: gathered on rank 0, then sent to the processes
// that become those vertices.
#pragma once

#include <optional>
#include <vector>

#include "preload/mapper/edges.hpp"
#include "preload/mapper/library.hpp"

namespace plait::preload::mapper {

/// One vertex, as passed to MPI_Dist_graph_create_adjacent. Weights are as long as their
/// neighbours, or empty in a graph without weights.
struct Adjacency {
  std::vector<int> sources, source_weights;
  std::vector<int> destinations, destination_weights;
};

/// The arguments of one process: to MPI_Dist_graph_create_adjacent about itself, or to
/// MPI_Dist_graph_create about any vertices.
struct Contribution {
  bool valid = false;  ///< counts and ranks are in range, and both lists or none have weights
  bool weighted = false;
  std::vector<int> words;  ///< packed
};

/// @param size  of the communicator. Neither throws; if memory is short the result is not valid.
Contribution contribution_of_adjacent(int size, int indegree, const int* sources,
                                      const int* source_weights, int outdegree,
                                      const int* destinations, const int* destination_weights);
Contribution contribution_of_edges(int size, int n, const int* sources, const int* degrees,
                                   const int* destinations, const int* weights);

/// A whole graph on rank 0; no vertices on other ranks.
struct GatheredGraph {
  bool weighted = false;
  std::vector<Adjacency> vertices;
};

/// Gathers all contributions. Neighbours keep the order in which they were given; those of
/// MPI_Dist_graph_create are ordered by the contributing rank first, at both ends. Collective.
/// @param adjacent  the contributions are of MPI_Dist_graph_create_adjacent
/// @returns nothing, on all ranks, if it cannot be done: invalid, too large, no memory
std::optional<GatheredGraph> gather(const Library& mpi, MPI_Comm comm, const Contribution& own,
                                    bool adjacent);

/// The edges, each once. @throws std::bad_alloc
std::vector<Edge> edges_of(const GatheredGraph& graph);

/// Distributes to each process the vertex that it becomes. Collective.
/// @param new_ranks  the vertex of each process; on rank 0
/// @returns nothing, on all ranks, if memory is short
std::optional<Adjacency> hand_out(const Library& mpi, MPI_Comm comm, const GatheredGraph& graph,
                                  const std::vector<int>& new_ranks);

}  // namespace plait::preload::mapper
