/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool between Plait's object and the MPI library: times the library's own calls. */
#include <mpi.h>

#include "ends.h"

struct ends_time ends_library[2];

int MPI_Init(int* argc, char*** argv) {
  const struct ends_time begin = ends_now();
  const int code = PMPI_Init(argc, argv);
  ends_library[0] = ends_since(begin);
  return code;
}

int MPI_Finalize(void) {
  const struct ends_time begin = ends_now();
  const int code = PMPI_Finalize();
  ends_library[1] = ends_since(begin);
  return code;
}
