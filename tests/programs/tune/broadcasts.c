// SPDX-License-Identifier: BSD-3-Clause
// Broadcasts over TCP, and prints how much rank 0 sent, as the kernel counts it: it depends on the
// algorithm. Runs on any number of ranks.
//
//   broadcasts BYTES...
//
// Prints a line "BYTES: SENT" for each size. SENT is in multiples of BYTES.
#include <linux/tcp.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { kDescriptors = 1024, kRounds = 10 };

/// Bytes that this process sent through its TCP connections.
static double sent(void) {
  double all = 0;
  for (int descriptor = 0; descriptor < kDescriptors; ++descriptor) {
    struct tcp_info info;
    memset(&info, 0, sizeof info);
    socklen_t size = sizeof info;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) continue;
    all += (double)(info.tcpi_bytes_sent - info.tcpi_bytes_retrans);
  }
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < argc; ++i) {
    const int bytes = atoi(argv[i]);
    char* const data = calloc((size_t)bytes, 1);
    MPI_Bcast(data, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);  // makes the connections
    MPI_Barrier(MPI_COMM_WORLD);
    const double before = sent();
    for (int round = 0; round < kRounds; ++round) {
      MPI_Bcast(data, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);  // all has arrived
    const double after = sent();
    MPI_Barrier(MPI_COMM_WORLD);  // until then, nobody closes connections
    if (rank == 0) printf("%d: %.2f\n", bytes, (after - before) / bytes / kRounds);
    fflush(stdout);
    free(data);
  }
  MPI_Finalize();
  return 0;
}
