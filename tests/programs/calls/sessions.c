/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks without MPI_COMM_WORLD: an MPI session (expected.json, "sessions"). */
#include <mpi.h>
#include <stdio.h>

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  double out[10] = {0}, in[10];
  int rank;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "plait.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0)
    MPI_Send(out, 10, MPI_DOUBLE, 1, 0, comm);
  else
    MPI_Recv(in, 10, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Allreduce(out, in, 10, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  if (rank == 0) printf("sessions: done\n");
  return 0;
}
