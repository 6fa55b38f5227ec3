/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands in for an MPI library where only names and symbols count. */
int MPI_Init(int* argc, char*** argv);
int MPI_Init(int* argc, char*** argv) {
  return argc == 0 && argv == 0;
}
