/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with a region, as a user of the package Plait has it. */
#include <mpi.h>
#include <plait/region.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  plait_region_begin("consumer");
  MPI_Barrier(MPI_COMM_WORLD);
  plait_region_end("consumer");
  MPI_Finalize();
  puts("regions begun and ended");
  return 0;
}
