/* SPDX-License-Identifier: BSD-3-Clause */
/* Initializes and finalizes MPI. Prints, for each of both, the times of the call and of the
 * library in it: wall and CPU time, s. */
#include <mpi.h>
#include <stdio.h>

#include "ends.h"

int main(int argc, char** argv) {
  struct ends_time took[2];
  struct ends_time begin = ends_now();
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  took[0] = ends_since(begin);
  MPI_Barrier(MPI_COMM_WORLD);
  begin = ends_now();
  if (MPI_Finalize() != MPI_SUCCESS) return 1;
  took[1] = ends_since(begin);
  char line[200];
  const int length = snprintf(line, sizeof line, "ends %.9f %.9f %.9f %.9f %.9f %.9f %.9f %.9f\n",
                              took[0].wall, took[0].cpu, ends_library[0].wall, ends_library[0].cpu,
                              took[1].wall, took[1].cpu, ends_library[1].wall, ends_library[1].cpu);
  return fwrite(line, 1, (size_t)length, stdout) != (size_t)length;
}
