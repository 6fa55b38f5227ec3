/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with an unknown schedule: plait_check() prints the reason once and ends all ranks. */
#include <plait/plait.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int granted;
  const int cells[3] = {8, 8, 8};
  plait_grid* grid;
  plait_field* field;
  plait_halo* halo;
  plait_stepper* stepper;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &granted);
  plait_check(plait_grid_create(MPI_COMM_WORLD, cells, NULL, &grid));
  plait_check(plait_field_create(grid, 1, sizeof(double), &field));
  const plait_view view = plait_field_view(field);
  plait_check(plait_halo_create(grid, &view, 1, NULL, &halo));
  plait_check(plait_stepper_create(halo, "sideways", &stepper));
  puts("the schedule was accepted");
  return 0;
}
