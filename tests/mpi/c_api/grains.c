/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks blocks of grains from C: y = A x with rows by rank, while parts of x travel in a ring. */
#include <plait/plait.h>
#include <stdio.h>
#include <string.h>

enum { rows = 12, per_grain = 3, grains = rows / per_grain, most_ranks = 8 };

static int failures;

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "line %d: %s; last error: %s\n", __LINE__, #condition, plait_last_error()); \
      ++failures;                                                                                 \
    }                                                                                             \
  } while (0)

struct shift {
  int rank, size, number;
  double *x, *next_x, *y; /* x: of rank `rank - number`; next_x: after the shift */
};

static int multiply(int grain, void* context) {
  const struct shift* shift = context;
  const int owner = (shift->rank + shift->size - shift->number) % shift->size;
  for (int row = grain * per_grain; row < (grain + 1) * per_grain; ++row) {
    for (int i = 0; i < rows; ++i) {
      shift->y[row] += (shift->rank * rows + row + owner * rows + i) * shift->x[i];
    }
  }
  return 0;
}

static int start_shift(int part, MPI_Request* requests, void* context) {
  const struct shift* shift = context;
  const int next = (shift->rank + 1) % shift->size;
  const int previous = (shift->rank + shift->size - 1) % shift->size;
  (void)part;
  MPI_Irecv(shift->next_x, rows, MPI_DOUBLE, previous, shift->number, MPI_COMM_WORLD, requests);
  MPI_Isend(shift->x, rows, MPI_DOUBLE, next, shift->number, MPI_COMM_WORLD, requests + 1);
  return 0;
}

static void check_product(const plait_grains_options* options) {
  struct shift shifts[most_ranks];
  double x[most_ranks][rows], y[rows] = {0};
  int rank, size, shift_task = -1, product = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < rows; ++i) x[0][i] = rank * rows + i;
  plait_grains* block;
  CHECK(plait_grains_create("y = A x", options, &block) == PLAIT_SUCCESS);
  for (int s = 0; s < size; ++s) {
    const int arrived = shift_task, before = product;
    shifts[s] = (struct shift){rank, size, s, x[s], s + 1 < size ? x[s + 1] : NULL, y};
    if (s + 1 < size) {
      CHECK(plait_grains_begin_communication(block, "shift", 1, 2, start_shift, &shifts[s],
                                             &shift_task) == PLAIT_SUCCESS);
      if (s > 0) CHECK(plait_grains_after(block, shift_task, arrived) == PLAIT_SUCCESS);
    }
    CHECK(plait_grains_compute(block, "product", grains, multiply, &shifts[s], &product) ==
          PLAIT_SUCCESS);
    if (s > 0) CHECK(plait_grains_after(block, product, arrived) == PLAIT_SUCCESS);
    if (s > 0) CHECK(plait_grains_after_each(block, product, before) == PLAIT_SUCCESS);
  }
  for (int run = 1; run <= 2; ++run) {
    CHECK(plait_grains_run(block) == PLAIT_SUCCESS);
    for (int row = 0; row < rows; ++row) {
      double expected = 0;
      for (int i = 0; i < size * rows; ++i) expected += (rank * rows + row + i) * (double)i;
      CHECK(y[row] == run * expected);
    }
  }
  plait_grains_times times;
  CHECK(plait_grains_last_times(block, &times) == PLAIT_SUCCESS && times.total_s > 0);
  CHECK((times.message_s > 0) == (size > 1) && times.message_s <= times.total_s);
  const char* graph = plait_grains_graph(block);
  CHECK(strstr(graph, "product\\n4 parts") != NULL);
  CHECK((strstr(graph, "shift") != NULL) == (size > 1));
  CHECK(plait_grains_free(&block) == PLAIT_SUCCESS && block == NULL);
}

static int refuse(int part, void* context) {
  (void)context;
  return part == 2 ? 7 : 0;
}

static int count_part(int part, void* context) {
  *(int*)context += part;
  return 0;
}

static void count_call(void* context) {
  ++*(int*)context;
}

static void check_progress(void) {
  const plait_grains_options alone = {.threads = 1};
  plait_grains* block;
  int task, sum = 0, calls = 0;
  CHECK(plait_grains_create("progress", &alone, &block) == PLAIT_SUCCESS);
  CHECK(plait_grains_communicate(block, "message", 1, count_part, &sum, &task) == PLAIT_SUCCESS);
  CHECK(plait_grains_compute(block, "grain", 3, count_part, &sum, &task) == PLAIT_SUCCESS);
  CHECK(plait_grains_on_progress(block, count_call, &calls) == PLAIT_SUCCESS);
  CHECK(plait_grains_on_progress(block, NULL, &calls) == PLAIT_LOCAL_ERROR);
  CHECK(plait_grains_run(block) == PLAIT_SUCCESS && sum == 3 && calls > 0);
  CHECK(plait_grains_free(&block) == PLAIT_SUCCESS);
}

static void check_sizes(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  plait_exchange_speed speeds[PLAIT_EXCHANGE_SIZES];
  const int partner = (rank ^ 1) < size ? rank ^ 1 : MPI_PROC_NULL;
  CHECK(plait_measure_exchange(MPI_COMM_WORLD, partner, speeds) == PLAIT_SUCCESS);
  CHECK(speeds[0].bytes == 1024 && speeds[PLAIT_EXCHANGE_SIZES - 1].bytes == 1 << 18);
  const double bytes = plait_grain_bytes(speeds, PLAIT_EXCHANGE_SIZES);
  CHECK(size > 1 ? bytes >= 1024 && bytes <= 1 << 18 : bytes == 0);
  CHECK(plait_measure_exchange(MPI_COMM_WORLD, size, speeds) == PLAIT_COLLECTIVE_ERROR);
  CHECK(plait_measure_exchange(MPI_COMM_WORLD, partner, NULL) == PLAIT_COLLECTIVE_ERROR);
  CHECK(plait_grain_bytes(NULL, 0) == 0);
  CHECK(plait_grains_before(20, 20, 4, 2e-3, 1e-4) == 18);
}

static void check_failures(void) {
  plait_grains* block;
  int first, second, sum = 0;
  CHECK(plait_grains_create("fails", NULL, &block) == PLAIT_SUCCESS);
  CHECK(plait_grains_compute(block, "refused", 4, refuse, NULL, &first) == PLAIT_SUCCESS);
  CHECK(plait_grains_compute_in_order(block, "later", 3, count_part, &sum, &second) ==
        PLAIT_SUCCESS);
  CHECK(plait_grains_after(block, second, first) == PLAIT_SUCCESS);
  CHECK(plait_grains_after(block, first, second) == PLAIT_LOCAL_ERROR);
  CHECK(plait_grains_after_each(block, second, first) == PLAIT_LOCAL_ERROR);
  CHECK(strstr(plait_last_error(), "parts") != NULL);
  CHECK(plait_grains_run(block) == PLAIT_LOCAL_ERROR && sum == 0);
  CHECK(strstr(plait_last_error(), "part 2 of task \"refused\" returned 7") != NULL);
  CHECK(plait_grains_compute(block, "none", 1, NULL, NULL, &first) == PLAIT_LOCAL_ERROR);
  CHECK(plait_grains_free(&block) == PLAIT_SUCCESS && plait_grains_free(&block) == PLAIT_SUCCESS);

  CHECK(plait_grains_create("in order", NULL, &block) == PLAIT_SUCCESS);
  CHECK(plait_grains_communicate(block, "count", 4, count_part, &sum, &first) == PLAIT_SUCCESS);
  CHECK(plait_grains_run(block) == PLAIT_SUCCESS && sum == 6);
  CHECK(plait_grains_free(&block) == PLAIT_SUCCESS);
  const plait_grains_options hurried = {.wait = "hurry"};
  CHECK(plait_grains_create("x", &hurried, &block) == PLAIT_LOCAL_ERROR && block == NULL);
  CHECK(strstr(plait_last_error(), "hurry") != NULL);
  const plait_grains_options no_channel = {.channels = -1};
  CHECK(plait_grains_create("x", &no_channel, &block) == PLAIT_LOCAL_ERROR);
  CHECK(plait_grains_graph(NULL) == NULL && plait_grains_run(NULL) == PLAIT_LOCAL_ERROR);
}

int check_grains(void);

int check_grains(void) {
  const plait_grains_options given = {
      .threads = 2, .first_thread = 1, .before = 2, .wait = "yield"};
  check_product(NULL);
  check_product(&given);
  check_progress();
  check_sizes();
  check_failures();
  return failures;
}
