/* SPDX-License-Identifier: BSD-3-Clause */
/* Known use of memory: memory uneven | grow | heap. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMiB = 1 << 20 };

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "uneven";
  int rank = 0;
  void* kept[1000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(what, "uneven") && rank == 1) {
    char* memory = malloc(200 * kMiB);
    if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);
    memset(memory, 1, 200 * kMiB);
    MPI_Send(memory, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    free(memory);
  } else if (!strcmp(what, "uneven")) {
    char byte;
    MPI_Recv(&byte, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  for (int step = 0; !strcmp(what, "grow") && step < 100; ++step) {
    if (rank == 0) {
      char* memory = malloc(kMiB); /* never freed */
      if (!memory) MPI_Abort(MPI_COMM_WORLD, 1);
      memset(memory, 1, kMiB);
    }
    usleep(50000);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (!strcmp(what, "heap") && rank == 0) {
    for (int i = 0; i < 1000; ++i) kept[i] = malloc(100000);
    for (int i = 0; i < 1000; ++i) kept[i] = realloc(kept[i], 200000);
    for (int i = 0; i < 600; ++i) free(kept[i]);
  }
  MPI_Finalize();
  return 0;
}
