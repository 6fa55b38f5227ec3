/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program with user regions: nested, repeated, by IPM's convention, and ended wrongly. */
#include <mpi.h>
#include <plait/region.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0;
  double sum = 0, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 10; ++step) {
    plait_region_begin("step");
    for (int i = 0; i < 2; ++i) {
      plait_region_begin("exchange");
      MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      plait_region_end("exchange");
    }
    plait_region_end("step");
  }
  plait_region_begin("exchange"); /* another one: outside of a step */
  plait_region_end("exchange");
  MPI_Pcontrol(1, "by convention");
  MPI_Pcontrol(-1, "by convention");
  MPI_Pcontrol(0); /* from here on these are levels, without names */
  MPI_Pcontrol(1);
  MPI_Pcontrol(2);
  plait_region_begin("outer");
  plait_region_begin("forgotten");
  plait_region_end("outer");
  plait_region_end("never entered");
  if (rank == 0) puts("regions: done");
  MPI_Finalize();
  return 0;
}
