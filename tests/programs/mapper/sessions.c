/* SPDX-License-Identifier: BSD-3-Clause */
/* Uses a session instead of MPI_COMM_WORLD, and creates a chain of all ranks with reorder = 1. Run
   it on ranks that are dealt to nodes in turn.

   Rank 0 prints: sessions moved K cut C wrong W */
#include "neighbours.h"

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, chain;
  int rank, size, before, after, vertex, mapped, nodes[MOST_RANKS], cut = 0, sums[2];
  const int open = 0;
  double own, got = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "plait", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Cart_create(comm, 1, &size, &open, 1, &chain);
  MPI_Comm_rank(chain, &vertex);
  MPI_Cart_shift(chain, 0, 1, &before, &after);
  own = held_by(vertex);
  MPI_Sendrecv(&own, 1, MPI_DOUBLE, after, 0, &got, 1, MPI_DOUBLE, before, 0, chain,
               MPI_STATUS_IGNORE);
  MPI_Cart_map(comm, 1, &size, &open, &mapped);
  sums[0] = vertex != rank;
  sums[1] = (vertex > 0 && got != held_by(vertex - 1)) || mapped < 0 || mapped >= size;
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, chain);
  const int node = own_node_in(comm);
  MPI_Allgather(&node, 1, MPI_INT, nodes, 1, MPI_INT, chain);
  for (int v = 1; v < size; ++v) cut += nodes[v] != nodes[v - 1];
  if (vertex == 0) printf("sessions moved %d cut %d wrong %d\n", sums[0], cut, sums[1]);
  fflush(stdout);
  MPI_Comm_free(&chain);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return 0;
}
