/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface of transposes: slabs of complex numbers, chunks, truncation, steps, errors. */
#include <plait/plait.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition, plait_last_error()); \
      ++failures;                                                                                 \
    }                                                                                             \
  } while (0)

enum { nx = 4, ny = 6, nz = 5 };

static double value_at(long long x, long long y, long long z) {
  return 1 + (double)(x + 10 * y + 100 * z);
}

/* Calls set (if `set`) or compares all elements of an array; y counts from first_y, z from first_z.
 * @return number of wrong elements */
static int wrong(double* array, const plait_transpose_array* of, int set, double changed) {
  int count = 0;
  for (long long z = 0; z < of->extents[2]; ++z) {
    for (long long y = 0; y < of->extents[1]; ++y) {
      for (long long x = 0; x < of->extents[0]; ++x) {
        double* at = array + x * of->strides[0] + y * of->strides[1] + z * of->strides[2];
        const double value =
            value_at(x, y + (of->axis == 1 ? of->first : 0), z + (of->axis == 2 ? of->first : 0));
        if (set) *at = value;
        if (*at != value + changed) ++count;
      }
    }
  }
  return count;
}

struct arrays {
  plait_transpose_stepper* stepper;
  double *from, *to;
  plait_transpose_array source, destination;
};

/* Adds 1 to some x planes. */
static void add_one(double* array, const plait_transpose_array* of, long long first,
                    long long last) {
  for (long long z = 0; z < of->extents[2]; ++z) {
    for (long long y = 0; y < of->extents[1]; ++y) {
      for (long long x = first; x < last; ++x) {
        array[x * of->strides[0] + y * of->strides[1] + z * of->strides[2]] += 1;
      }
    }
  }
}
static void before(long long first, long long last, void* context) {
  const struct arrays* arrays = context;
  add_one(arrays->from, &arrays->source, first, last);
}
static void after(long long first, long long last, void* context) {
  const struct arrays* arrays = context;
  CHECK(plait_transpose_progress(arrays->stepper) == PLAIT_SUCCESS);
  add_one(arrays->to, &arrays->destination, first, last);
}

static void check_steps(plait_transpose* transpose, struct arrays* arrays) {
  static const char* const schedules[] = {"blocking", "polled", "comm_thread", NULL};
  const void* from[] = {arrays->from};
  void* to[] = {arrays->to};
  const plait_work works[] = {before, after};
  for (int s = 0; s < 4; ++s) {
    plait_transpose_stepper* stepper;
    CHECK(plait_transpose_stepper_create(MPI_COMM_WORLD, &transpose, 1, schedules[s], &stepper) ==
          PLAIT_SUCCESS);
    arrays->stepper = stepper;
    wrong(arrays->from, &arrays->source, 1, 0);
    CHECK(plait_transpose_step(stepper, from, to, works, arrays) == PLAIT_SUCCESS);
    CHECK(wrong(arrays->to, &arrays->destination, 0, 2) == 0);
    CHECK(strlen(plait_transpose_stepper_schedule(stepper)) > 4);
    CHECK(strstr(plait_transpose_stepper_explain(stepper), "In use:") != NULL);
    CHECK(plait_transpose_stepper_free(&stepper) == PLAIT_SUCCESS && stepper == NULL);
  }
  CHECK(plait_transpose_progress(NULL) == PLAIT_LOCAL_ERROR);
  plait_transpose_stepper* none;
  CHECK(plait_transpose_stepper_create(MPI_COMM_NULL, &transpose, 1, "tasks", &none) ==
        PLAIT_COLLECTIVE_ERROR);
  CHECK(none == NULL && strstr(plait_last_error(), "not for transposes") != NULL);
}

static void check_chunks(plait_transpose* transpose, struct arrays* arrays) {
  const void* from[] = {arrays->from};
  void* to[] = {arrays->to};
  int done = 0, count = 0;
  long long planes[2];
  wrong(arrays->from, &arrays->source, 1, 0);
  memset(arrays->to, 0, sizeof(double) * (size_t)arrays->destination.elements);
  CHECK(plait_transpose_begin(transpose, from, to) == PLAIT_SUCCESS);
  CHECK(plait_transpose_finish(transpose, 0) == PLAIT_LOCAL_ERROR);
  for (int chunk = 0; chunk < 2; ++chunk) {
    CHECK(plait_transpose_planes(transpose, 0, chunk, planes, 1, &count) == PLAIT_SUCCESS);
    CHECK(count == 1 && planes[0] == 2 * chunk && planes[1] == 2 * chunk + 2);
    CHECK(plait_transpose_start(transpose, chunk) == PLAIT_SUCCESS);
  }
  while (!done) CHECK(plait_transpose_test(transpose, 1, &done) == PLAIT_SUCCESS);
  for (int chunk = 0; chunk < 2; ++chunk) {
    CHECK(plait_transpose_finish(transpose, chunk) == PLAIT_SUCCESS);
  }
  CHECK(wrong(arrays->to, &arrays->destination, 0, 0) == 0);
}

/* Keeps y = 0, 1 and 5. */
static void check_truncation(void) {
  const long long kept[] = {0, 2, 5, 6};
  const plait_transpose_shape shape = {.extents = {nx, ny, nz},
                                       .from = {.axis = 2},
                                       .to = {.axis = 1},
                                       .kept = {NULL, kept, NULL},
                                       .kept_ranges = {0, 2, 0}};
  plait_transpose* transpose;
  plait_transpose_array source, destination;
  CHECK(plait_transpose_create(MPI_COMM_WORLD, &shape, NULL, &transpose) == PLAIT_SUCCESS);
  CHECK(plait_transpose_arrays(transpose, &source, &destination) == PLAIT_SUCCESS);
  long long rows = destination.extents[1];
  MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(rows == 3);
  double* from = plait_transpose_source_memory(transpose, 0);
  double* to = calloc((size_t)destination.elements + 1, sizeof(double));
  wrong(from, &source, 1, 0);
  const void* sources[] = {from};
  void* destinations[] = {to};
  CHECK(plait_transpose_execute(transpose, sources, destinations) == PLAIT_SUCCESS);
  for (long long z = 0; z < nz; ++z) {
    for (long long y = 0; y < destination.extents[1]; ++y) {
      const long long global = y + destination.first < 2 ? y + destination.first : 5;
      CHECK(to[y * destination.strides[1] + z * destination.strides[2]] == value_at(0, global, z));
    }
  }
  free(to);
  CHECK(plait_transpose_free(&transpose) == PLAIT_SUCCESS);
}

/* There and back in the same buffers. */
static void check_buffers(plait_transpose* there, struct arrays* arrays) {
  const plait_transpose_shape reversed = {
      .extents = {nx, ny, nz}, .from = {.axis = 1}, .to = {.axis = 2}};
  const plait_transpose_options options = {
      .chunks = 2, .transport = "alltoallv", .buffers_of = there};
  plait_transpose* back;
  CHECK(plait_transpose_create(MPI_COMM_WORLD, &reversed, &options, &back) == PLAIT_SUCCESS);
  CHECK(plait_transpose_buffer_bytes(there) > 0);
  CHECK(plait_transpose_buffer_bytes(back) == 0);
  const void *from[] = {arrays->from}, *moved[] = {arrays->to};
  void *to[] = {arrays->to}, *home[] = {arrays->from};
  wrong(arrays->from, &arrays->source, 1, 0);
  CHECK(plait_transpose_execute(there, from, to) == PLAIT_SUCCESS);
  memset(arrays->from, 0, sizeof(double) * (size_t)arrays->source.elements);
  CHECK(plait_transpose_execute(back, moved, home) == PLAIT_SUCCESS);
  CHECK(wrong(arrays->from, &arrays->source, 0, 0) == 0);
  CHECK(plait_transpose_free(&back) == PLAIT_SUCCESS);
  CHECK(plait_transpose_buffer_bytes(NULL) == -1);
}

int main(int argc, char** argv) {
  int granted, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &granted);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const plait_transpose_shape shape = {
      .extents = {nx, ny, nz}, .from = {.axis = 2}, .to = {.axis = 1}};
  const plait_transpose_options options = {.chunks = 2, .transport = "alltoallv", .wait = "sleep"};
  plait_transpose* transpose;
  struct arrays arrays;
  plait_check(plait_transpose_create(MPI_COMM_WORLD, &shape, &options, &transpose));
  CHECK(strcmp(plait_transpose_transport(transpose), "alltoallv") == 0);
  CHECK(plait_transpose_arrays(transpose, &arrays.source, &arrays.destination) == PLAIT_SUCCESS);
  arrays.from = calloc((size_t)arrays.source.elements + 1, sizeof(double));
  arrays.to = calloc((size_t)arrays.destination.elements + 1, sizeof(double));
  check_chunks(transpose, &arrays);
  check_steps(transpose, &arrays);
  check_buffers(transpose, &arrays);
  free(arrays.from);
  free(arrays.to);
  CHECK(plait_transpose_free(&transpose) == PLAIT_SUCCESS && transpose == NULL);
  check_truncation();

  const plait_transpose_options pigeon = {.transport = "pigeon"}, diagonal = {.chunk_axis = "d"};
  CHECK(plait_transpose_create(MPI_COMM_WORLD, &shape, &pigeon, &transpose) == 1);
  CHECK(strstr(plait_last_error(), "pigeon") != NULL && transpose == NULL);
  CHECK(plait_transpose_create(MPI_COMM_WORLD, &shape, &diagonal, &transpose) == 1);
  CHECK(plait_transpose_create(MPI_COMM_WORLD, NULL, NULL, &transpose) == 1);
  CHECK(plait_transpose_execute(NULL, NULL, NULL) == PLAIT_LOCAL_ERROR);
  CHECK(plait_transpose_source_memory(NULL, 0) == NULL);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d checks failed\n", failures);
  MPI_Finalize();
  return failures > 0;
}
