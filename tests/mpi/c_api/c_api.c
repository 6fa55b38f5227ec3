/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the C interface on any number of ranks: grid, views, halo, step, reductions, errors. */
#include <math.h>
#include <plait/plait.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int check_grains(void); /* grains.c */

static int failures = 0;

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition, plait_last_error()); \
      ++failures;                                                                                 \
    }                                                                                             \
  } while (0)

enum { ghost = 2, periods = 3 };
static const int cells[3] = {13, 11, 9};

/* The value of a global cell, different for all cells. */
static double value_at(const int cell[3]) {
  int wrapped[3];
  for (int d = 0; d < 3; ++d) wrapped[d] = (cell[d] + periods * cells[d]) % cells[d];
  return 1 + wrapped[0] + 100.0 * wrapped[1] + 10000.0 * wrapped[2];
}

static double* cell_of(const plait_view* view, int i, int j, int k) {
  return (double*)view->origin + i + j * view->stride_y + k * view->stride_z;
}

/* Number of wrong cells among the own cells and, `around` deep, the ghosts of faces. */
static int wrong_cells(const plait_view* view, const int first[3], int around) {
  int wrong = 0;
  for (int k = -around; k < view->own[2] + around; ++k) {
    for (int j = -around; j < view->own[1] + around; ++j) {
      for (int i = -around; i < view->own[0] + around; ++i) {
        const int at[3] = {i, j, k};
        const int global[3] = {first[0] + i, first[1] + j, first[2] + k};
        int outside = 0;
        for (int d = 0; d < 3; ++d) outside += at[d] < 0 || at[d] >= view->own[d];
        if (outside < 2 && *cell_of(view, i, j, k) != value_at(global)) ++wrong;
      }
    }
  }
  return wrong;
}

static void fill(const plait_view* view, const int first[3]) {
  for (int k = 0; k < view->own[2]; ++k) {
    for (int j = 0; j < view->own[1]; ++j) {
      for (int i = 0; i < view->own[0]; ++i) {
        const int global[3] = {first[0] + i, first[1] + j, first[2] + k};
        *cell_of(view, i, j, k) = value_at(global);
      }
    }
  }
}

struct fields {
  plait_view now, next;
};

static void smooth(const int first[3], const int last[3], void* context) {
  const struct fields* fields = context;
  for (int k = first[2]; k < last[2]; ++k) {
    for (int j = first[1]; j < last[1]; ++j) {
      for (int i = first[0]; i < last[0]; ++i) {
        *cell_of(&fields->next, i, j, k) =
            0.25 * *cell_of(&fields->now, i, j, k) +
            0.125 * (*cell_of(&fields->now, i - 2, j, k) + *cell_of(&fields->now, i + 1, j, k) +
                     *cell_of(&fields->now, i, j - 1, k) + *cell_of(&fields->now, i, j + 2, k) +
                     *cell_of(&fields->now, i, j, k - 2) + *cell_of(&fields->now, i, j, k + 2));
      }
    }
  }
}

static void check_grid(plait_grid* grid) {
  int rank, size, ranks[3], place[3], first[3], last[3], neighbour;
  CHECK(plait_grid_rank(grid, &rank, &size) == PLAIT_SUCCESS);
  CHECK(plait_grid_ranks(grid, ranks, place) == PLAIT_SUCCESS);
  CHECK(ranks[0] * ranks[1] * ranks[2] == size);
  CHECK(plait_grid_own(grid, first, last) == PLAIT_SUCCESS);
  long long own = 1;
  for (int d = 0; d < 3; ++d) own *= last[d] - first[d];
  MPI_Comm comm;
  CHECK(plait_grid_comm(grid, &comm) == PLAIT_SUCCESS);
  MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_LONG_LONG, MPI_SUM, comm);
  CHECK(own == (long long)cells[0] * cells[1] * cells[2]);
  const int here[3] = {0, 0, 0}, around[3] = {ranks[0], 0, -ranks[2]};
  CHECK(plait_grid_neighbour(grid, here, &neighbour) == PLAIT_SUCCESS && neighbour == rank);
  CHECK(plait_grid_neighbour(grid, around, &neighbour) == PLAIT_SUCCESS && neighbour == rank);
  CHECK(strlen(plait_grid_report(grid)) > 10);
}

/* Stengel's map on 2 x 3 x 4 boxes by blocks of 1 x 2 x 2, and a grid of all ranks over one. */
static void check_given_map(void) {
  const int dims[3] = {2, 3, 4}, block[3] = {1, 2, 2}, wraps[3] = {0, 0, 1};
  const int up[3] = {0, 0, 1}, back[3] = {0, 0, -1}, out[3] = {-1, 0, 0};
  int place[3 * 24], at[24], neighbor;
  CHECK(plait_subdomain_map(dims, block, place, at) == PLAIT_SUCCESS);
  CHECK(place[3 * 4 + 0] == 0 && place[3 * 4 + 1] == 0 && place[3 * 4 + 2] == 2);
  for (int rank = 0; rank < 24; ++rank) {
    const int* c = place + 3 * rank;
    CHECK(at[c[2] + 4 * (c[1] + 3 * c[0])] == rank);
  }
  CHECK(plait_neighbor_rank(1, up, dims, wraps, place, at, &neighbor) == 0 && neighbor == 4);
  CHECK(plait_neighbor_rank(0, back, dims, wraps, place, at, &neighbor) == 0 && neighbor == 5);
  CHECK(plait_neighbor_rank(0, back, dims, NULL, place, at, &neighbor) == 0 &&
        neighbor == MPI_PROC_NULL);
  CHECK(plait_neighbor_rank(0, out, dims, wraps, place, at, &neighbor) == 0 &&
        neighbor == MPI_PROC_NULL);
  CHECK(plait_neighbor_rank(24, out, dims, wraps, place, at, &neighbor) == PLAIT_LOCAL_ERROR);
  CHECK(plait_subdomain_map(dims, wraps, place, at) == PLAIT_LOCAL_ERROR);

  int size, rank, ranks[3], coordinates[3];
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* backwards = calloc(3 * (size_t)size, sizeof(int));
  for (int r = 0; r < size; ++r) backwards[3 * r + 1] = size - 1 - r;
  const plait_grid_options options = {
      .ranks = {1, size, 1}, .map = "given", .coordinates = backwards};
  plait_grid* grid;
  CHECK(plait_grid_create(MPI_COMM_WORLD, cells, &options, &grid) == PLAIT_SUCCESS);
  CHECK(plait_grid_rank(grid, &rank, &size) == PLAIT_SUCCESS);
  CHECK(plait_grid_ranks(grid, ranks, coordinates) == PLAIT_SUCCESS);
  CHECK(coordinates[1] == size - 1 - rank);
  CHECK(plait_grid_free(&grid) == PLAIT_SUCCESS);
  const plait_grid_options nothing_given = {.map = "given"};
  CHECK(plait_grid_create(MPI_COMM_WORLD, cells, &nothing_given, &grid) == PLAIT_COLLECTIVE_ERROR);
  free(backwards);
}

static void check_exchange(const plait_grid* grid, const plait_view* view, const int first[3]) {
  plait_halo* halo;
  CHECK(plait_halo_create(grid, view, 1, NULL, &halo) == PLAIT_SUCCESS);
  fill(view, first);
  CHECK(plait_halo_exchange(halo, view, 1) == PLAIT_SUCCESS);
  CHECK(wrong_cells(view, first, ghost) == 0);
  *cell_of(view, -1, 0, 0) = -1;
  CHECK(plait_halo_start(halo, view, 1) == PLAIT_SUCCESS);
  CHECK(plait_halo_finish(halo) == PLAIT_SUCCESS);
  CHECK(wrong_cells(view, first, ghost) == 0);
  int low[3], high[3];
  CHECK(plait_halo_interior(halo, low, high) == PLAIT_SUCCESS);
  const int thin =
      view->own[0] <= 2 * ghost || view->own[1] <= 2 * ghost || view->own[2] <= 2 * ghost;
  CHECK(thin || (low[0] == ghost && high[2] == view->own[2] - ghost));
  long long all = 0, away = -1;
  CHECK(plait_halo_bytes(halo, &all, &away) == PLAIT_SUCCESS && away == 0);
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(size == 1 || all > 0);
  CHECK(plait_halo_free(&halo) == PLAIT_SUCCESS && halo == NULL);
}

/* The norm after some steps under a schedule; `ahead`: by plait_advance(). */
static double stepped(const plait_grid* grid, struct fields fields, const int first[3],
                      const char* schedule, int ahead) {
  plait_halo* halo;
  plait_stepper* stepper;
  double sum = NAN;
  plait_check(plait_halo_create(grid, &fields.now, 1, NULL, &halo));
  CHECK(plait_stepper_create(halo, schedule, &stepper) == PLAIT_SUCCESS);
  fill(&fields.now, first);
  if (ahead) CHECK(plait_halo_exchange(halo, &fields.now, 1) == PLAIT_SUCCESS);
  for (int step = 0; step < 6; ++step) {
    if (ahead) {
      CHECK(plait_advance(stepper, &fields.next, 1, smooth, &fields) == PLAIT_SUCCESS);
    } else {
      CHECK(plait_step(stepper, &fields.now, 1, smooth, &fields) == PLAIT_SUCCESS);
    }
    const plait_view old = fields.now;
    fields.now = fields.next;
    fields.next = old;
  }
  CHECK(plait_norm(grid, &fields.now, &sum) == PLAIT_SUCCESS);
  CHECK(strlen(plait_stepper_schedule(stepper)) > 4);
  CHECK(strlen(plait_stepper_explain(stepper)) > 40);
  CHECK(plait_step(stepper, &fields.now, 1, NULL, NULL) == PLAIT_LOCAL_ERROR);
  CHECK(plait_stepper_free(&stepper) == PLAIT_SUCCESS);
  CHECK(plait_halo_free(&halo) == PLAIT_SUCCESS);
  return sum;
}

static void check_steps(const plait_grid* grid, const struct fields* fields, const int first[3]) {
  static const char* const schedules[] = {
      "blocking",
      "nonblocking",
      "polled",
      "comm_thread",
      "comm_thread,communicator=extra_thread,wait=sleep,poll=50us",
      "tasks",
      "grains",
      "automatic",
      NULL};
  const double expected = stepped(grid, *fields, first, "blocking", 0);
  for (int s = 0; s < (int)(sizeof schedules / sizeof *schedules); ++s) {
    CHECK(stepped(grid, *fields, first, schedules[s], 0) == expected);
    CHECK(stepped(grid, *fields, first, schedules[s], 1) == expected);
  }
}

static void check_reductions(const plait_grid* grid, const struct fields* fields,
                             const int first[3]) {
  double result = NAN;
  fill(&fields->now, first);
  fill(&fields->next, first);
  CHECK(plait_max_change(grid, &fields->now, &fields->next, &result) == PLAIT_SUCCESS);
  CHECK(result == 0);
  *cell_of(&fields->now, 0, 0, 0) -= 7;
  CHECK(plait_max_change(grid, &fields->now, &fields->next, &result) == PLAIT_SUCCESS);
  CHECK(result == 7);
  double sum = 0;
  for (int k = 0; k < cells[2]; ++k) {
    for (int j = 0; j < cells[1]; ++j) {
      for (int i = 0; i < cells[0]; ++i) sum += value_at((const int[3]){i, j, k});
    }
  }
  CHECK(plait_exact_sum(grid, &fields->next, &result) == PLAIT_SUCCESS);
  CHECK(result == sum); /* integers: exact in either order */
}

static void check_errors(const plait_grid* grid, const plait_view* view) {
  plait_grid* none = (plait_grid*)&failures;
  plait_halo* halo;
  plait_stepper* stepper;
  const int no_cells[3] = {4, 0, 4};
  CHECK(plait_grid_create(MPI_COMM_WORLD, no_cells, NULL, &none) == PLAIT_COLLECTIVE_ERROR);
  CHECK(none == NULL && strlen(plait_last_error()) > 0);
  const plait_grid_options unknown = {.map = "diagonal"};
  CHECK(plait_grid_create(MPI_COMM_WORLD, cells, &unknown, &none) == PLAIT_COLLECTIVE_ERROR);
  CHECK(strstr(plait_last_error(), "rank map \"diagonal\": unknown; use one of automatic") != NULL);
  CHECK(plait_grid_create(MPI_COMM_WORLD, NULL, NULL, &none) == PLAIT_COLLECTIVE_ERROR);
  CHECK(plait_grid_create(MPI_COMM_NULL, cells, NULL, &none) == PLAIT_LOCAL_ERROR);
  CHECK(plait_grid_free(NULL) == PLAIT_LOCAL_ERROR);
  CHECK(plait_grid_report(NULL) == NULL);

  int size, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* An error on the last rank alone becomes an error on all. */
  CHECK(plait_agree(grid, PLAIT_SUCCESS) == PLAIT_SUCCESS);
  const int extents[3] = {view->own[0] + 2 * ghost, view->own[1] + 2 * ghost, 1};
  const ptrdiff_t strides[3] = {8, 8 * view->stride_y, 8 * view->stride_z};
  plait_view array;
  const int status = rank < size - 1
                         ? PLAIT_SUCCESS
                         : plait_view_of_array(grid, view->origin, 8, extents, strides, &array);
  CHECK(plait_agree(grid, status) == PLAIT_COLLECTIVE_ERROR);
  CHECK(strstr(plait_last_error(), "cells with equal ghosts on all sides") != NULL);

  const plait_halo_options pigeon = {.transport = "pigeon"};
  CHECK(plait_halo_create(grid, view, 1, &pigeon, &halo) == PLAIT_COLLECTIVE_ERROR);
  CHECK(strstr(plait_last_error(), "pigeon") != NULL);
  const plait_halo_options wide = {.width = ghost + 1};
  CHECK(plait_halo_create(grid, view, 1, &wide, &halo) == PLAIT_COLLECTIVE_ERROR);
  CHECK(plait_halo_create(grid, view, 0, NULL, &halo) == PLAIT_COLLECTIVE_ERROR);
  CHECK(plait_halo_create(NULL, view, 1, NULL, &halo) == PLAIT_LOCAL_ERROR && halo == NULL);

  plait_check(plait_halo_create(grid, view, 1, NULL, &halo));
  CHECK(plait_stepper_create(halo, "hurried", &stepper) == PLAIT_COLLECTIVE_ERROR);
  CHECK(strstr(plait_last_error(), "hurried") != NULL && stepper == NULL);
  CHECK(plait_halo_exchange(halo, NULL, 1) == PLAIT_LOCAL_ERROR);
  CHECK(plait_stepper_explain(NULL) == NULL);
  plait_check(plait_halo_free(&halo));
}

int main(int argc, char** argv) {
  int granted, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const plait_grid_options options = {.periodic = {1, 1, 1}, .map = "row_major"};
  plait_grid* grid;
  plait_check(plait_grid_create_f(MPI_Comm_c2f(MPI_COMM_WORLD), cells, &options, &grid));
  check_grid(grid);

  check_given_map();
  int first[3], last[3], extents[3];
  plait_check(plait_grid_own(grid, first, last));
  size_t elements = 1;
  for (int d = 0; d < 3; ++d) {
    extents[d] = last[d] - first[d] + 2 * ghost;
    elements *= (size_t)extents[d];
  }
  /* One field in the program's memory, one in the library's. */
  double* memory = calloc(elements, sizeof(double));
  const ptrdiff_t strides[3] = {sizeof(double), (ptrdiff_t)sizeof(double) * extents[0],
                                (ptrdiff_t)sizeof(double) * extents[0] * extents[1]};
  struct fields fields;
  plait_check(plait_view_of_array(grid, memory, sizeof(double), extents, strides, &fields.now));
  CHECK(fields.now.ghost == ghost && fields.now.own[0] == last[0] - first[0]);
  plait_field* field;
  plait_check(plait_field_create(grid, ghost, sizeof(double), &field));
  fields.next = plait_field_view(field);

  check_exchange(grid, &fields.now, first);
  check_exchange(grid, &fields.next, first);
  plait_view wrapped = fields.now;
  fields.now = plait_field_view(field);
  fields.next = wrapped;
  check_errors(grid, &fields.now);
  check_reductions(grid, &fields, first);
  /* A halo moves fields of one layout: both from the library. */
  plait_field* other;
  plait_check(plait_field_create(grid, ghost, sizeof(double), &other));
  fields.next = plait_field_view(other);
  check_steps(grid, &fields, first);

  failures += check_grains();

  plait_field_free(&field);
  plait_field_free(&other);
  free(memory);
  CHECK(field == NULL && plait_field_view(NULL).origin == NULL);
  CHECK(plait_grid_free(&grid) == PLAIT_SUCCESS && grid == NULL);
  CHECK(plait_grid_free(&grid) == PLAIT_SUCCESS);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d checks failed\n", failures);
  MPI_Finalize();
  return failures != 0;
}
