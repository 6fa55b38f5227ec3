/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates graph topologies that pair rank i with rank i + n/2, the worst case for consecutive ranks
   on nodes, with every MPI call for graphs; the first argument is reorder. Runs on an even number
   of ranks.

   For each, rank 0 prints: graph CALL cut C wrong W
   cut: pairs on different nodes; wrong: neighbours that did not get the vertex's value, weights
   that are not the vertex's, lists that are not the vertex's. */
#include "neighbours.h"

static int size, node, failures;

static int partner(int vertex) {
  return (vertex + size / 2) % size;
}

static int weight_of(int vertex) {
  return 10 + vertex % (size / 2);
}

static void expect(int fact) {
  failures += !fact;
}

/* Exchanges the vertices' values and nodes; prints. */
static void judge(const char* call, MPI_Comm graph) {
  int rank, nodes[MOST_RANKS], cut = 0, wrong = 0;
  double own, from_partner = 0;
  MPI_Comm_rank(graph, &rank);
  own = held_by(rank);
  MPI_Neighbor_allgather(&own, 1, MPI_DOUBLE, &from_partner, 1, MPI_DOUBLE, graph);
  expect(from_partner == held_by(partner(rank)));
  MPI_Allgather(&node, 1, MPI_INT, nodes, 1, MPI_INT, graph);
  for (int v = 0; v < size / 2; ++v) cut += nodes[v] != nodes[partner(v)];
  MPI_Reduce(&failures, &wrong, 1, MPI_INT, MPI_SUM, 0, graph);
  if (rank == 0) {
    printf("graph %s cut %d wrong %d\n", call, cut, wrong);
    fflush(stdout);
  }
  failures = 0;
  MPI_Comm_free(&graph);
}

/* The lists of a distributed graph are those of the vertex that the process has become. */
static void check_lists(MPI_Comm graph, int weighted_expected) {
  int rank, in, out, weighted, source = -1, destination = -1, in_weight = 0, out_weight = 0;
  MPI_Comm_rank(graph, &rank);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  expect(in == 1 && out == 1 && weighted == weighted_expected);
  if (in != 1 || out != 1) return;
  MPI_Dist_graph_neighbors(graph, 1, &source, &in_weight, 1, &destination, &out_weight);
  expect(source == partner(rank) && destination == partner(rank));
  if (weighted) expect(in_weight == weight_of(rank) && out_weight == weight_of(rank));
}

static void by_graph_create(int reorder) {
  int index[MOST_RANKS], edges[MOST_RANKS];
  MPI_Comm graph;
  for (int v = 0; v < size; ++v) index[v] = v + 1, edges[v] = partner(v);
  MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, reorder, &graph);
  judge("MPI_Graph_create", graph);
}

/* Follows the advice of MPI_Graph_map and MPI_Cart_map by hand. */
static void by_graph_map(void) {
  int index[MOST_RANKS], edges[MOST_RANKS], place = -1;
  MPI_Comm ordered, graph;
  for (int v = 0; v < size; ++v) index[v] = v + 1, edges[v] = partner(v);
  MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &place);
  expect(place >= 0 && place < size);
  MPI_Comm_split(MPI_COMM_WORLD, 0, place, &ordered);
  MPI_Graph_create(ordered, size, index, edges, 0, &graph);
  int rank;
  MPI_Comm_rank(graph, &rank);
  expect(rank == place);
  MPI_Comm_free(&ordered);
  judge("MPI_Graph_map", graph);
}

static void by_adjacent(int reorder, int weighted) {
  int rank, weight;
  MPI_Comm graph;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = partner(rank);
  weight = weight_of(rank);
  int* weights = weighted ? &weight : MPI_UNWEIGHTED;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, weights, 1, &other, weights,
                                 MPI_INFO_NULL, reorder, &graph);
  check_lists(graph, weighted);
  judge(weighted ? "MPI_Dist_graph_create_adjacent,weights" : "MPI_Dist_graph_create_adjacent",
        graph);
}

/* Each rank gives the edges of another vertex; some give none, some give two. */
static void by_dist_graph_create(int reorder, int weighted) {
  int rank, sources[2], degrees[2] = {1, 1}, destinations[2], weights[2];
  MPI_Comm graph;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int n = rank % 2 ? 0 : 2;
  for (int i = 0; i < n; ++i) {
    sources[i] = (rank + 2 + i) % size;
    destinations[i] = partner(sources[i]);
    weights[i] = weight_of(sources[i]);
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations,
                        weighted ? (n ? weights : MPI_WEIGHTS_EMPTY) : MPI_UNWEIGHTED,
                        MPI_INFO_NULL, reorder, &graph);
  check_lists(graph, weighted);
  judge(weighted ? "MPI_Dist_graph_create,weights" : "MPI_Dist_graph_create", graph);
}

/* Half of the vertices have no neighbours: their weights are MPI_WEIGHTS_EMPTY. */
static void with_lonely_vertices(int reorder) {
  int rank, in, out, weighted, weight = 7, wrong = 0;
  MPI_Comm graph;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int degree = rank % 2 == 0, next = (rank + 2) % size, last = (rank + size - 2) % size;
  int* weights = degree ? &weight : MPI_WEIGHTS_EMPTY;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, &last, weights, degree, &next, weights,
                                 MPI_INFO_NULL, reorder, &graph);
  MPI_Comm_rank(graph, &rank);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  expect(in == (rank % 2 == 0) && out == in && weighted);
  MPI_Reduce(&failures, &wrong, 1, MPI_INT, MPI_SUM, 0, graph);
  if (rank == 0) printf("graph lonely cut 0 wrong %d\n", wrong);
  failures = 0;
  MPI_Comm_free(&graph);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 2 || size % 2 || size > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  const int reorder = atoi(argv[1]);
  node = own_node();
  by_graph_create(reorder);
  by_graph_map();
  by_adjacent(reorder, 0);
  by_adjacent(reorder, 1);
  /* Without the mapper some libraries hang or end the job here. */
  if (reorder) {
    by_dist_graph_create(reorder, 0);
    by_dist_graph_create(reorder, 1);
  }
  with_lonely_vertices(reorder);
  MPI_Finalize();
  return 0;
}
