// SPDX-License-Identifier: BSD-3-Clause
// The measured program: times blocks of MPI calls and prints `name median minimum` in ns per call.
//
// On one rank: an 8-byte MPI_Send to MPI_PROC_NULL, and MPI_Isend with MPI_Wait to it. On two: the
// round trip of an 8-byte ping-pong.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr int kBlocks = 21;

template <class Body>
void measure(const char* name, int calls, bool print, Body body) {
  std::vector<double> ns_per_call;
  for (int block = 0; block <= kBlocks; ++block) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) body();
    const auto end = std::chrono::steady_clock::now();
    // The first block warms up.
    if (block) ns_per_call.push_back(std::chrono::duration<double, std::nano>(end - begin).count());
  }
  std::sort(ns_per_call.begin(), ns_per_call.end());
  if (print)
    std::printf("%s %.3f %.3f\n", name, ns_per_call[kBlocks / 2] / calls,
                ns_per_call.front() / calls);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double value = 1;
  if (size == 1) {
    measure("send", 100000, true,
            [&] { MPI_Send(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD); });
    measure("isend_wait", 100000, true, [&] {
      MPI_Request request;
      MPI_Isend(&value, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
  } else {
    measure("round_trip", 10000, rank == 0, [&] {
      if (rank == 0) {
        MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (rank == 1) {
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
      }
    });
  }
  MPI_Finalize();
  return 0;
}
