/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that calls MPI_Init of a library, its own MPI_Init, or a solver that calls it. */
#if defined(CALLS_SOLVER)
int solver_start(void);
int main(void) {
  return solver_start();
}
#elif defined(CALLS_NOTHING)
int main(void) {
  return 0;
}
#else
int MPI_Init(int* argc, char*** argv);
int main(int argc, char** argv) {
  return MPI_Init(&argc, &argv);
}
#endif
