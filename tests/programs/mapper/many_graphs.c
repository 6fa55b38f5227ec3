/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates many graphs in turn, every other one with reorder, as its first argument says how many.

   Rank 0 prints: graphs N treematch 0|1; 1 if this process has loaded Open MPI's treematch. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int has_loaded(const char* name) {
  char line[4096];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, name) != NULL;
  if (maps) fclose(maps);
  return found;
}

int main(int argc, char** argv) {
  int rank, size, times = argc > 1 ? atoi(argv[1]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* destinations = malloc((size_t)size * sizeof(int));
  for (int time = 0; time < times; ++time) {
    int degree = 0;
    for (int other = 0; other < size; ++other)
      if ((time + rank + other) % 3) destinations[degree++] = other;
    MPI_Comm graph;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, destinations, MPI_UNWEIGHTED,
                          MPI_INFO_NULL, time % 2, &graph);
    MPI_Comm_free(&graph);
  }
  free(destinations);
  if (rank == 0) printf("graphs %d treematch %d\n", times, has_loaded("treematch"));
  MPI_Finalize();
  return 0;
}
