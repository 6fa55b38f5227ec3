/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program with user regions: nested, repeated, by IPM's convention, and ended wrongly;
 * and a pause of recording. */
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
  plait_region_begin("exchange"); /* not the same region: outside of a step */
  plait_region_end("exchange");
  MPI_Pcontrol(1, "by convention");
  MPI_Pcontrol(-1, "by convention");
  MPI_Pcontrol(0); /* from here on, calls pass levels without names; this one pauses recording */
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Send_init(&one, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, copy, &request);
  for (int i = 0; i < 5; ++i) {
    MPI_Barrier(copy);
    MPI_Sendrecv(&one, 1, MPI_DOUBLE, rank, 0, &sum, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  MPI_Pcontrol(1);
  MPI_Barrier(copy);
  MPI_Pcontrol(2);
  MPI_Barrier(copy);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  plait_region_begin("outer");
  plait_region_begin("forgotten");
  plait_region_end("outer");
  plait_region_end("never entered");
  MPI_Request_free(&request);
  MPI_Comm_free(&copy);
  if (rank == 0) puts("regions: done");
  MPI_Finalize();
  return 0;
}
