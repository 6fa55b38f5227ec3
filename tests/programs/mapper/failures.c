/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates topologies with reorder = 1 while the mapper's MPI calls fail one after the other
   ("calls"), or memory runs out after more and more blocks ("memory"), until nothing fails. Each
   topology must still be created and work. Runs on an even number of ranks.
   For each, rank 0 prints: failures CALL refused N reordered R wrong W

   Or while the MPI library has one communicator left and the mapper takes two ("communicators").
   Rank 0 prints: failures communicators wrong W */
#include "neighbours.h"
#include "refuse.h"

static int rank, size, wrong, handled;

static void expect(int fact, const char* what) {
  if (!fact) fprintf(stderr, "rank %d, not so: %s\n", rank, what);
  wrong += !fact;
}

static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}

static int partner(int vertex) {
  return vertex ^ 1;
}

static int make_grid(MPI_Comm comm, MPI_Comm* made) {
  const int dims[1] = {size}, periods[1] = {0};
  return MPI_Cart_create(comm, 1, dims, periods, 1, made);
}

static int make_graph(MPI_Comm comm, MPI_Comm* made) {
  int index[MOST_RANKS], edges[MOST_RANKS];
  for (int v = 0; v < size; ++v) index[v] = v + 1, edges[v] = partner(v);
  return MPI_Graph_create(comm, size, index, edges, 1, made);
}

static int make_adjacent(MPI_Comm comm, MPI_Comm* made) {
  const int other = partner(rank), *const unweighted = MPI_UNWEIGHTED;
  return MPI_Dist_graph_create_adjacent(comm, 1, &other, unweighted, 1, &other, unweighted,
                                        MPI_INFO_NULL, 1, made);
}

static int make_dist_graph(MPI_Comm comm, MPI_Comm* made) {
  const int degree = 1, other = partner(rank), *const unweighted = MPI_UNWEIGHTED;
  return MPI_Dist_graph_create(comm, 1, &rank, &degree, &other, unweighted, MPI_INFO_NULL, 1, made);
}

/* Each vertex gets its partner's value; in the grid that is one of its neighbours.
   @returns whether ranks have moved */
static int judge(MPI_Comm topology) {
  int vertex, moved, kind, before, other;
  double own, got = 0;
  MPI_Errhandler handler;
  MPI_Comm_rank(topology, &vertex);
  MPI_Topo_test(topology, &kind);
  other = partner(vertex);
  if (kind == MPI_CART) {
    MPI_Cart_shift(topology, 0, 1, &before, &other);
    if (vertex % 2) other = before;
  }
  own = held_by(vertex);
  MPI_Sendrecv(&own, 1, MPI_DOUBLE, other, 0, &got, 1, MPI_DOUBLE, other, 0, topology,
               MPI_STATUS_IGNORE);
  expect(other == partner(vertex) && got == held_by(other), "the partner is the neighbour");
  handled = 0;
  MPI_Comm_get_errhandler(topology, &handler);
  MPI_Comm_call_errhandler(topology, MPI_ERR_OTHER);
  expect(handled == 1, "it has the program's error handler");
  MPI_Errhandler_free(&handler);
  moved = vertex != rank;
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_MAX, topology);
  return moved;
}

static void refuse(int calls, int step) {
  /* In turn: on rank 0 alone, on another rank alone, on all ranks. */
  const int here = step % 3 == 2 || rank == step % 3;
  if (calls)
    refuse_call(here ? step + 1 : 0);
  else
    refuse_memory_after(!here ? -1 : step < 30 ? step : 30 << (step - 30) / 3);
}

static void try_all(const char* name, int (*make)(MPI_Comm, MPI_Comm*), MPI_Comm comm, int calls) {
  int reordered = 0, tried = 0, untouched = 0;
  for (int step = 0; untouched < 3; ++step) {
    MPI_Comm made = MPI_COMM_NULL;
    handled = 0;
    refuse(calls, step);
    const int code = make(comm, &made);
    int hit = has_refused();
    refuse_call(0);
    refuse_memory_after(-1);
    expect(code == MPI_SUCCESS && made != MPI_COMM_NULL, "the topology is made");
    expect(handled == 0, "the program's error handler is not called");
    reordered += judge(made);
    MPI_Comm_free(&made);
    MPI_Allreduce(MPI_IN_PLACE, &hit, 1, MPI_INT, MPI_MAX, comm);
    tried += hit;
    untouched = hit ? 0 : untouched + 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 0)
    printf("failures %s refused %d reordered %d wrong %d\n", name, tried, reordered, wrong);
  fflush(stdout);
  wrong = 0;
}

static void try_with_the_last_communicator(MPI_Comm comm) {
  enum { MOST = 1 << 14 };
  static MPI_Comm taken[MOST];
  int count = 0;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  while (count < MOST && MPI_Comm_dup(MPI_COMM_SELF, &taken[count]) == MPI_SUCCESS) ++count;
  expect(0 < count && count < MOST, "communicators run out");
  MPI_Comm_free(&taken[--count]);
  expect(make_dist_graph(comm, &made) == MPI_SUCCESS && handled == 0, "the topology is made");
  judge(made);
  MPI_Comm_free(&made);
  while (count > 0) MPI_Comm_free(&taken[--count]);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
  if (rank == 0) printf("failures communicators wrong %d\n", wrong);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  refuse_call(0);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2 || size < 2 || size % 2 || size > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
  const int calls = strcmp(argv[1], "calls") == 0;
  MPI_Errhandler handler;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  if (strcmp(argv[1], "communicators") == 0) {
    try_with_the_last_communicator(comm);
  } else {
    try_all("MPI_Cart_create", make_grid, comm, calls);
    try_all("MPI_Graph_create", make_graph, comm, calls);
    try_all("MPI_Dist_graph_create_adjacent", make_adjacent, comm, calls);
    try_all("MPI_Dist_graph_create", make_dist_graph, comm, calls);
  }
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
