/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates the grids named on the command line (4x4x2, a 'p' after a periodic dimension) with
   MPI_Cart_create, once for each digit of the first argument, which is its reorder, and relaxes a
   field on each.

   For each, rank 0 prints: grid NAME reorder R cut C pairs P busiest M moved K sum HEX
   cut: neighbour pairs on different nodes; busiest: those of one node; moved: processes whose rank
   changed; sum: of all values after the relaxation, equal in every order of the processes. */
#include "neighbours.h"

enum { STEPS = 3, MOST_DIMENSIONS = 3 };

struct grid {
  int dimensions, dims[MOST_DIMENSIONS], periods[MOST_DIMENSIONS];
};

static struct grid parse(const char* name) {
  struct grid grid = {0, {0}, {0}};
  while (*name && grid.dimensions < MOST_DIMENSIONS) {
    char* end;
    grid.dims[grid.dimensions] = (int)strtol(name, &end, 10);
    grid.periods[grid.dimensions] = *end == 'p';
    grid.dimensions++;
    name = end + (*end == 'p');
    name += *name == 'x';
  }
  return grid;
}

/* Each vertex adds the values of its neighbours in the order of the dimensions, like a solver. */
static double relax(MPI_Comm cart, int dimensions, double value) {
  for (int step = 0; step < STEPS; ++step) {
    double sum = value;
    for (int d = 0; d < dimensions; ++d) {
      int below, above;
      double from_below = 0, from_above = 0;
      MPI_Cart_shift(cart, d, 1, &below, &above);
      MPI_Sendrecv(&value, 1, MPI_DOUBLE, above, 0, &from_below, 1, MPI_DOUBLE, below, 0, cart,
                   MPI_STATUS_IGNORE);
      MPI_Sendrecv(&value, 1, MPI_DOUBLE, below, 1, &from_above, 1, MPI_DOUBLE, above, 1, cart,
                   MPI_STATUS_IGNORE);
      sum += 0.3 * from_below + 0.7 * from_above;
    }
    value = sum;
  }
  return value;
}

struct report {
  int node, rank, world_rank, neighbours[2 * MOST_DIMENSIONS];
  double value;
};

static int find_pairs(const struct report* of, int vertices, int dimensions, int* cut,
                      int* busiest) {
  int pairs = 0, crossing[MOST_RANKS] = {0};
  *cut = *busiest = 0;
  for (int v = 0; v < vertices; ++v)
    for (int n = 0; n < 2 * dimensions; ++n) {
      const int other = of[v].neighbours[n];
      if (other < 0 || other == v) continue;
      /* In a ring of two the neighbours on both sides are the same. */
      const int ring_of_two = of[v].neighbours[n ^ 1] == other;
      if (ring_of_two && n % 2 != (v < other)) continue;
      const int crosses = of[v].node != of[other].node;
      crossing[of[v].node] += crosses;
      if (n % 2 == 0) continue; /* each pair once: towards the neighbour above */
      ++pairs;
      *cut += crosses;
    }
  for (int node = 0; node < MOST_RANKS; ++node)
    if (crossing[node] > *busiest) *busiest = crossing[node];
  return pairs;
}

static void work_on(const char* name, int reorder, int node) {
  const struct grid grid = parse(name);
  MPI_Comm cart;
  struct report own, all[MOST_RANKS];
  MPI_Comm_rank(MPI_COMM_WORLD, &own.world_rank);
  MPI_Cart_create(MPI_COMM_WORLD, grid.dimensions, grid.dims, grid.periods, reorder, &cart);
  if (cart == MPI_COMM_NULL) return;
  int vertices;
  MPI_Comm_size(cart, &vertices);
  MPI_Comm_rank(cart, &own.rank);
  own.node = node;
  for (int d = 0; d < grid.dimensions; ++d)
    MPI_Cart_shift(cart, d, 1, &own.neighbours[2 * d], &own.neighbours[2 * d + 1]);
  own.value = relax(cart, grid.dimensions, held_by(own.rank));
  MPI_Gather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, 0, cart);
  if (own.rank == 0) {
    int cut, busiest, moved = 0;
    unsigned long long sum = 0;
    const int pairs = find_pairs(all, vertices, grid.dimensions, &cut, &busiest);
    for (int v = 0; v < vertices; ++v) {
      moved += all[v].world_rank != v;
      sum = mixed(sum, all[v].value);
    }
    printf("grid %s reorder %d cut %d pairs %d busiest %d moved %d sum %llx\n", name, reorder, cut,
           pairs, busiest, moved, sum);
    fflush(stdout);
  }
  MPI_Comm_free(&cart);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc < 3 || size > MOST_RANKS) {
    fprintf(stderr, "usage: mpiexec -n <at most %d> grids 0|1|01 GRID...\n", MOST_RANKS);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int node = own_node();
  for (int i = 2; i < argc; ++i)
    for (const char* reorder = argv[1]; *reorder; ++reorder) work_on(argv[i], *reorder - '0', node);
  MPI_Finalize();
  return 0;
}
