/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a static MPI: it defines MPI_Init itself. */
int MPI_Init(int* argc, char*** argv);
int MPI_Init(int* argc, char*** argv) {
  return argc == 0 && argv == 0;
}
int main(int argc, char** argv) {
  return MPI_Init(&argc, &argv);
}
