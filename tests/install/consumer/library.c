/* SPDX-License-Identifier: BSD-3-Clause */
/* A program on the library, compiled with the flags of pkg-config. */
#include <plait/plait.h>
#include <plait/region.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const int cells[3] = {8, 8, 8};
  int ranks[3], place[3];
  plait_grid* grid;
  MPI_Init(&argc, &argv);
  plait_region_begin("create");
  plait_check(plait_grid_create(MPI_COMM_WORLD, cells, NULL, &grid));
  plait_region_end("create");
  plait_check(plait_grid_ranks(grid, ranks, place));
  printf("grid on %d rank\n", ranks[0] * ranks[1] * ranks[2]);
  plait_grid_free(&grid);
  MPI_Finalize();
  return 0;
}
