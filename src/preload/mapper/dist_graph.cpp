// SPDX-License-Identifier: BSD-3-Clause
// Reorders MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent.
//
// The process that becomes vertex v gets the neighbours that were given for v. Both calls use the
// library's MPI_Dist_graph_create_adjacent with reorder = 0: Open MPI's reordering
// MPI_Dist_graph_create ends jobs (4.1) or renames ranks without moving any traffic (5.0), and
// MPICH's MPI_Dist_graph_create hangs between nodes (5.0 with UCX).
#include <functional>
#include <numeric>

#include "preload/mapper/adjacency.hpp"
#include "preload/mapper/calls.hpp"
#include "preload/mapper/decide.hpp"

namespace plait::preload::mapper {
namespace {

Topology topology_of(const char* call, const GatheredGraph& graph) {
  const auto size = static_cast<int>(graph.vertices.size());
  return {call, "graph of " + std::to_string(size), graph_of_edges(edges_of(graph), size), {}};
}

/// @param unweighted  what the caller passed as weights, if the graph has none
int make_on(const Library& mpi, MPI_Comm ordered, const Adjacency& own, const int* unweighted,
            MPI_Info info, MPI_Comm* made) {
  const auto weights = [&](const std::vector<int>& of) -> const int* {
    if (unweighted) return unweighted;
    return of.empty() ? empty_weights() : of.data();
  };
  return mpi.Dist_graph_create_adjacent(
      ordered, static_cast<int>(own.sources.size()), own.sources.data(),
      weights(own.source_weights), static_cast<int>(own.destinations.size()),
      own.destinations.data(), weights(own.destination_weights), info, 0, made);
}

/// @param unweighted  as make_on() has it
/// @param keeps  make the communicator even if there is nothing to gain
/// @returns true if the communicator was made; the same on all ranks
bool reorder_graph(const Library& mpi, MPI_Comm comm, const char* call, const Contribution& given,
                   bool adjacent, const int* unweighted, MPI_Info info, bool keeps,
                   MPI_Comm* made) {
  const ErrorsAsCodes errors(mpi, comm);
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  const auto graph = gather(mpi, comm, given, adjacent);
  if (!graph) {
    if (rank == 0) say_once(call, "its edges cannot be gathered");
    return false;
  }
  const auto topology = [&] { return topology_of(call, *graph); };
  Decision decision = decide(mpi, comm, std::cref(topology));
  const bool kept = decision.outcome == Outcome::kept;
  if (decision.outcome == Outcome::failed || (kept && !keeps)) return false;
  if (kept) std::iota(decision.new_ranks.begin(), decision.new_ranks.end(), 0);
  const auto own = hand_out(mpi, comm, *graph, decision.new_ranks);
  if (!own) {
    if (rank == 0) say_once(call, "its edges cannot be distributed");
    return false;
  }
  const auto make = [&](MPI_Comm ordered, MPI_Comm* created) {
    return make_on(mpi, ordered, *own, unweighted, info, created);
  };
  return make_in_order(mpi, comm, decision, errors, std::cref(make), made);
}

int size_of(const Library& mpi, MPI_Comm comm) {
  int size = 0;
  mpi.Comm_size(comm, &size);
  return size;
}

}  // namespace

int dist_graph_create(DistGraphCreate* own, Word word, int n, const int* sources,
                      const int* degrees, const int* destinations, const int* weights, Word info,
                      int reorder, MPI_Comm* made) {
  const Library* mpi = library();
  const auto comm = as<MPI_Comm>(word);
  if (!mpi || !is_wanted(reorder) || !is_running(*mpi) || !can_be_reordered(*mpi, comm) || !made)
    return own(word, n, sources, degrees, destinations, weights, info, reorder, made);
  const Contribution given =
      contribution_of_edges(size_of(*mpi, comm), n, sources, degrees, destinations, weights);
  if (reorder_graph(*mpi, comm, "MPI_Dist_graph_create", given, false,
                    given.weighted ? nullptr : weights, as<MPI_Info>(info), true, made))
    return MPI_SUCCESS;
  return own(word, n, sources, degrees, destinations, weights, info, 0, made);
}

int dist_graph_create_adjacent(DistGraphCreateAdjacent* own, Word word, int indegree,
                               const int* sources, const int* source_weights, int outdegree,
                               const int* destinations, const int* destination_weights, Word info,
                               int reorder, MPI_Comm* made) {
  const Library* mpi = library();
  const auto comm = as<MPI_Comm>(word);
  const auto call_own = [&](int order) {
    return own(word, indegree, sources, source_weights, outdegree, destinations,
               destination_weights, info, order, made);
  };
  if (!mpi || !is_wanted(reorder) || !is_running(*mpi) || !can_be_reordered(*mpi, comm) || !made)
    return call_own(reorder);
  const Contribution given =
      contribution_of_adjacent(size_of(*mpi, comm), indegree, sources, source_weights, outdegree,
                               destinations, destination_weights);
  if (reorder_graph(*mpi, comm, "MPI_Dist_graph_create_adjacent", given, true,
                    given.weighted ? nullptr : source_weights, as<MPI_Info>(info), false, made))
    return MPI_SUCCESS;
  return call_own(0);
}

}  // namespace plait::preload::mapper
