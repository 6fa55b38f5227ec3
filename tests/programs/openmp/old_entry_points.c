/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls libgomp as programs built by GCC before 4.9 do: the program runs the body of thread 0. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

extern void GOMP_parallel_start(void (*body)(void*), void* data, unsigned threads);
extern void GOMP_parallel_end(void);

static int bodies[2];

static void body(void* data) {
  (void)data;
  ++bodies[omp_get_thread_num()];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 5; ++i) {
    GOMP_parallel_start(&body, NULL, 2);
    body(NULL);
    GOMP_parallel_end();
  }
  if (bodies[0] == 5 && bodies[1] == 5) puts("constructs: all right");
  MPI_Finalize();
  return 0;
}
