// SPDX-License-Identifier: BSD-3-Clause
// The measured program: messages of several sizes between two ranks, forth and back. Prints a line
// for each size: bytes, and the least time of a message in us.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

/// The time of one message, in us.
double exchange(int rank, std::vector<char>& data, int bytes, int times) {
  const int other = 1 - rank;
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    if (rank == 0) MPI_Send(data.data(), bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
    MPI_Recv(data.data(), bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(data.data(), bytes, MPI_CHAR, other, 0, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - begin) / (2.0 * times) * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kBlocks = 200, kMostBytes = 4 << 20;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<char> data(kMostBytes, 'x');
  for (int bytes = 8; bytes <= kMostBytes; bytes = bytes == 8 ? 1024 : 4 * bytes) {
    const int times = std::clamp((128 << 10) / bytes, 2, 100);
    double least_us = 1e9;
    for (int block = 0; block < kBlocks; ++block) {
      least_us = std::min(least_us, exchange(rank, data, bytes, times));
    }
    if (rank == 0) std::printf("%d %.4f\n", bytes, least_us);
  }
  MPI_Finalize();
  return 0;
}
