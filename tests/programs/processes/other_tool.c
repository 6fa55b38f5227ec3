/* SPDX-License-Identifier: BSD-3-Clause */
/* Another tool that intercepts MPI calls, as mpiP does: it counts sends and reports at the end. */
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Finalize(void) {
  printf("other tool: %d sends\n", sends);
  fflush(stdout);
  return PMPI_Finalize();
}
