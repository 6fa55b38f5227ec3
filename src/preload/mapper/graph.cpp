// SPDX-License-Identifier: BSD-3-Clause
// Reorders MPI_Graph_create and MPI_Graph_map.
#include <functional>

#include "preload/mapper/calls.hpp"
#include "preload/mapper/decide.hpp"
#include "preload/mapper/edges.hpp"

namespace plait::preload::mapper {
namespace {

/// True for a graph of at least two vertices that fits into the communicator. Others go to MPI.
bool is_graph(const Library& mpi, MPI_Comm comm, int vertices, const int* index, const int* edges) {
  int size = 0;
  mpi.Comm_size(comm, &size);
  if (vertices < 2 || vertices > size || !index || index[0] < 0) return false;
  for (int vertex = 1; vertex < vertices; ++vertex)
    if (index[vertex] < index[vertex - 1]) return false;
  for (int edge = 0; edge < index[vertices - 1]; ++edge)
    if (!edges || edges[edge] < 0 || edges[edge] >= vertices) return false;
  return true;
}

Topology graph_topology(const char* call, int vertices, const int* index, const int* edges) {
  std::vector<Edge> list;
  for (int vertex = 0, edge = 0; vertex < vertices; ++vertex)
    for (; edge < index[vertex]; ++edge) list.push_back({vertex, edges[edge], 1});
  return {call, "graph of " + std::to_string(vertices), graph_of_edges(list, vertices), {}};
}

/// @returns true if the graph was made and reordered; the same on all ranks
bool reorder_graph(const Library& mpi, MPI_Comm comm, int vertices, const int* index,
                   const int* edges, MPI_Comm* made) {
  const ErrorsAsCodes errors(mpi, comm);
  const auto topology = [&] { return graph_topology("MPI_Graph_create", vertices, index, edges); };
  const Decision decision = decide(mpi, comm, std::cref(topology));
  if (decision.outcome != Outcome::reordered) return false;
  const auto make = [&](MPI_Comm ordered, MPI_Comm* graph) {
    return mpi.Graph_create(ordered, vertices, index, edges, 0, graph);
  };
  return make_in_order(mpi, comm, decision, errors, std::cref(make), made);
}

}  // namespace

int graph_create(GraphCreate* own, Word word, int vertices, const int* index, const int* edges,
                 int reorder, MPI_Comm* made) {
  const Library* mpi = library();
  const auto comm = as<MPI_Comm>(word);
  if (!mpi || !is_wanted(reorder) || !is_running(*mpi) || !can_be_reordered(*mpi, comm) ||
      !is_graph(*mpi, comm, vertices, index, edges) || !made)
    return own(word, vertices, index, edges, reorder, made);
  if (reorder_graph(*mpi, comm, vertices, index, edges, made)) return MPI_SUCCESS;
  return own(word, vertices, index, edges, 0, made);
}

int graph_map(GraphMap* own, Word word, int vertices, const int* index, const int* edges,
              int* new_rank) {
  const Library* mpi = library();
  const auto comm = as<MPI_Comm>(word);
  if (!mpi || !is_wanted(1) || !is_running(*mpi) || !can_be_reordered(*mpi, comm) ||
      !is_graph(*mpi, comm, vertices, index, edges) || !new_rank)
    return own(word, vertices, index, edges, new_rank);
  const auto topology = [&] { return graph_topology("MPI_Graph_map", vertices, index, edges); };
  const Decision decision = decide_alone(*mpi, comm, std::cref(topology));
  if (decision.outcome != Outcome::reordered) return own(word, vertices, index, edges, new_rank);
  *new_rank = decision.new_rank < vertices ? decision.new_rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

}  // namespace plait::preload::mapper
