/* SPDX-License-Identifier: BSD-3-Clause */
/* Many small messages between two ranks, then a chosen end.
 *
 *   stream MESSAGES [kill | leave | fork | tags | wait | pause] */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int messages = atoi(argv[1]);
  const char* end = argc > 2 ? argv[2] : "";
  if (!strcmp(end, "fork")) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
  }
  for (int i = 0; i < messages; ++i) {
    const int tag = strcmp(end, "tags") ? 0 : i;
    if (rank == 0)
      MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    else
      MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (!strcmp(end, "wait")) { /* more requests than fit into one event */
    const int many = 20000;
    MPI_Request* requests = malloc(sizeof *requests * many);
    int* values = calloc(many, sizeof *values);
    for (int i = 0; i < many; ++i) {
      if (rank == 0)
        MPI_Isend(&values[i], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[i]);
      else
        MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    free(values);
    free(requests);
  }
  for (int i = 0; i < 2 && !strcmp(end, "pause"); ++i) { /* the first request ends in a pause */
    MPI_Request request;
    struct {
      int first, gap, last;
    } pair = {1, 2, 3};
    MPI_Datatype ends;
    MPI_Type_vector(2, 1, 2, MPI_INT, &ends);
    MPI_Type_commit(&ends);
    if (rank == 0)
      MPI_Isend(&pair, 1, ends, 1, 2, MPI_COMM_WORLD, &request);
    else
      MPI_Irecv(&pair, 1, ends, i ? MPI_ANY_SOURCE : 0, 2, MPI_COMM_WORLD, &request);
    if (i == 0) MPI_Pcontrol(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (i == 0) MPI_Pcontrol(1);
    MPI_Type_free(&ends);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && !strcmp(end, "kill")) kill(getpid(), SIGKILL);
  if (rank == 1 && !strcmp(end, "leave")) _exit(3);
  if (!strcmp(end, "kill") || !strcmp(end, "leave")) sleep(20); /* until the launcher kills it */
  MPI_Finalize();
  if (rank == 0) puts("done");
  return 0;
}
