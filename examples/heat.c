/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat conduction in a box, du/dt = alpha laplace(u), by explicit Euler steps with the library. */
#include <plait/plait.h>
#include <stdio.h>

struct heat {
  plait_view u, next;
  double r;
};

static void update(const int first[3], const int last[3], void* context) {
  const struct heat* heat = context;
  const ptrdiff_t y = heat->u.stride_y, z = heat->u.stride_z;
  for (int k = first[2]; k < last[2]; ++k) {
    for (int j = first[1]; j < last[1]; ++j) {
      const double* u = (const double*)heat->u.origin + j * y + k * z;
      double* next = (double*)heat->next.origin + j * y + k * z;
      for (int i = first[0]; i < last[0]; ++i) {
        next[i] = u[i] + heat->r * (u[i - 1] + u[i + 1] + u[i - y] + u[i + y] + u[i - z] +
                                    u[i + z] - 6.0 * u[i]);
      }
    }
  }
}

int main(int argc, char** argv) {
  const int cells[3] = {48, 40, 32}, steps = 100; /* the side x = 0 is kept at u = 1 */
  const double h = 1.0 / cells[0], alpha = 1.0;
  const double dt = 0.15 * h * h / alpha; /* stable below h^2 / (6 alpha) */
  const plait_halo_options sides = {.mirror = {0, 1, 1, 1, 1, 1}}; /* heat enters at x = 0 only */
  int granted, rank, size, ranks[3], place[3];
  double total, change;
  plait_grid* grid;
  plait_field* memory[2];
  plait_halo* halo;
  plait_stepper* stepper;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &granted);
  plait_check(plait_grid_create(MPI_COMM_WORLD, cells, NULL, &grid));
  for (int i = 0; i < 2; ++i) plait_check(plait_field_create(grid, 1, sizeof(double), &memory[i]));
  struct heat heat = {plait_field_view(memory[0]), plait_field_view(memory[1]),
                      alpha * dt / (h * h)};
  plait_check(plait_halo_create(grid, &heat.u, 1, &sides, &halo));
  plait_check(plait_stepper_create(halo, NULL, &stepper)); /* schedule from PLAIT_SCHEDULE */
  plait_check(plait_grid_ranks(grid, ranks, place));
  for (int k = 0; place[0] == 0 && k < heat.u.own[2]; ++k) {
    for (int j = 0; j < heat.u.own[1]; ++j) {
      const ptrdiff_t at = -1 + j * heat.u.stride_y + k * heat.u.stride_z;
      ((double*)heat.u.origin)[at] = ((double*)heat.next.origin)[at] = 1.0;
    }
  }
  for (int step = 0; step < steps; ++step) {
    plait_check(plait_step(stepper, &heat.u, 1, update, &heat));
    const plait_view old = heat.u;
    heat.u = heat.next;
    heat.next = old;
  }
  plait_check(plait_exact_sum(grid, &heat.u, &total));
  plait_check(plait_max_change(grid, &heat.u, &heat.next, &change));
  plait_check(plait_grid_rank(grid, &rank, &size));
  total = total * h * h * h;
  if (rank == 0) printf("heat %.16E after %d steps, largest change %.16E\n", total, steps, change);
  plait_check(plait_stepper_free(&stepper));
  plait_check(plait_halo_free(&halo));
  for (int i = 0; i < 2; ++i) plait_field_free(&memory[i]);
  plait_check(plait_grid_free(&grid));
  MPI_Finalize();
  return 0;
}
