/* SPDX-License-Identifier: BSD-3-Clause */
/* Correct uses of communicators between two groups: ranks 0 and 1, and all others. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COUNT 100000 /* too large for an eager message of any MPI */

static int rank, size, in_first;
static MPI_Comm world, own, inter;
static double many[COUNT], others[COUNT];

/* The root of a call whose root is rank 0, as this rank has to pass it. */
static int root_of_first(void) {
  return !in_first ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

/* The other group comes late, when the rank of this one that does not take part is in a barrier. */
static void late_broadcast(void) {
  if (!in_first) sleep(2);
  MPI_Bcast(many, COUNT, MPI_DOUBLE, root_of_first(), inter);
  MPI_Barrier(world);
}

static void rooted(void) {
  int counts[64], places[64];
  const int root = root_of_first();
  for (int i = 0; i < size; ++i) counts[i] = 2, places[i] = 2 * i;
  MPI_Bcast(many, 10, MPI_DOUBLE, root, inter);
  MPI_Gather(many, 2, MPI_DOUBLE, others, 2, MPI_DOUBLE, root, inter);
  MPI_Gatherv(many, 2, MPI_DOUBLE, others, counts, places, MPI_DOUBLE, root, inter);
  MPI_Scatter(many, 2, MPI_DOUBLE, others, 2, MPI_DOUBLE, root, inter);
  MPI_Scatterv(many, counts, places, MPI_DOUBLE, others, 2, MPI_DOUBLE, root, inter);
  MPI_Reduce(many, others, 4, MPI_DOUBLE, MPI_SUM, root, inter);
}

/* The arguments of a rank without a part have no meaning. */
static void rooted_without_arguments(void) {
  const int root = root_of_first();
  const int part = root != MPI_PROC_NULL;
  MPI_Bcast(part ? many : NULL, part ? 10 : 0, MPI_DOUBLE, root, inter);
  MPI_Reduce(part ? many : NULL, part ? others : NULL, part ? 4 : 0, MPI_DOUBLE,
             part ? MPI_SUM : MPI_MAX, root, inter);
}

static void nonblocking(void) {
  int counts[64], places[64];
  MPI_Request requests[7];
  const int root = root_of_first();
  for (int i = 0; i < size; ++i) counts[i] = 2, places[i] = 2 * i;
  MPI_Ibarrier(inter, &requests[0]);
  MPI_Ibcast(many, 10, MPI_DOUBLE, root, inter, &requests[1]);
  MPI_Igather(many + 10, 2, MPI_DOUBLE, others, 2, MPI_DOUBLE, root, inter, &requests[2]);
  MPI_Igatherv(many + 20, 2, MPI_DOUBLE, others + 100, counts, places, MPI_DOUBLE, root, inter,
               &requests[3]);
  MPI_Iscatter(many + 30, 2, MPI_DOUBLE, others + 200, 2, MPI_DOUBLE, root, inter, &requests[4]);
  MPI_Iscatterv(many + 200, counts, places, MPI_DOUBLE, others + 300, 2, MPI_DOUBLE, root, inter,
                &requests[5]);
  MPI_Ireduce(many + 400, others + 400, 4, MPI_DOUBLE, MPI_SUM, root, inter, &requests[6]);
  MPI_Waitall(7, requests, MPI_STATUSES_IGNORE);
}

static void without_root(void) {
  int counts[64], places[64];
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
  MPI_Barrier(inter);
  MPI_Allreduce(many, others, 4, MPI_DOUBLE, MPI_SUM, inter);
  MPI_Allgather(many, 1, MPI_DOUBLE, others, 1, MPI_DOUBLE, inter);
  MPI_Allgatherv(many, 1, MPI_DOUBLE, others, counts, places, MPI_DOUBLE, inter);
  MPI_Alltoall(many, 1, MPI_DOUBLE, others, 1, MPI_DOUBLE, inter);
  MPI_Alltoallv(many, counts, places, MPI_DOUBLE, others, counts, places, MPI_DOUBLE, inter);
  /* Each group gets as many elements as the other one reduces, two for each pair of ranks. */
  MPI_Reduce_scatter_block(many, others, 2 * (size - (in_first ? 2 : size - 2)), MPI_DOUBLE,
                           MPI_SUM, inter);
}

static void made_of_it(void) {
  MPI_Comm merged, copy, part, later;
  MPI_Request request;
  int value = rank, sum = 0;
  MPI_Intercomm_merge(inter, !in_first, &merged);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, merged);
  MPI_Comm_dup(inter, &copy);
  MPI_Barrier(copy);
  MPI_Comm_split(inter, rank < 3 ? 0 : MPI_UNDEFINED, rank, &part);
  if (part != MPI_COMM_NULL) MPI_Bcast(&value, 1, MPI_INT, root_of_first(), part);
  MPI_Comm_idup(merged, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Ssend(&value, 1, MPI_INT, 0, 5, copy);
  if (rank == 2) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, copy, MPI_STATUS_IGNORE);
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  MPI_Comm_free(&later);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&merged);
}

#if MPI_VERSION >= 4
static void persistent(void) {
  MPI_Request requests[3];
  const int root = root_of_first();
  MPI_Bcast_init(many, 10, MPI_DOUBLE, root, inter, MPI_INFO_NULL, &requests[0]);
  MPI_Gather_init(many, 2, MPI_DOUBLE, others, 2, MPI_DOUBLE, root, inter, MPI_INFO_NULL,
                  &requests[1]);
  MPI_Reduce_init(many, others + 100, 4, MPI_DOUBLE, MPI_SUM, root, inter, MPI_INFO_NULL,
                  &requests[2]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(3, requests);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 3; ++i) MPI_Request_free(&requests[i]);
}
#endif

static const struct {
  const char* name;
  void (*run)(void);
} cases[] = {{"late_broadcast", late_broadcast},
             {"rooted", rooted},
             {"rooted_without_arguments", rooted_without_arguments},
             {"nonblocking", nonblocking},
             {"without_root", without_root},
#if MPI_VERSION >= 4
             {"persistent", persistent},
#endif
             {"made_of_it", made_of_it}};

int main(int argc, char** argv) {
  int found = 0;
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  in_first = rank < 2;
  MPI_Comm_split(world, in_first, rank, &own);
  MPI_Intercomm_create(own, 0, world, in_first ? 2 : 0, 17, &inter);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int k = 1; k < argc; ++k)
      if (strcmp(argv[k], cases[i].name) == 0) {
        cases[i].run();
        ++found;
      }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&own);
  MPI_Finalize();
  return found > 0 ? 0 : 2;
}
