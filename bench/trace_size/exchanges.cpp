// SPDX-License-Identifier: BSD-3-Clause
// A program with many small messages: exchanges with both neighbours in a ring, and an occasional
// sum. An exchange has three events per rank, a sum two.
#include <mpi.h>

#include <array>
#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exchanges = argc > 1 ? std::atoi(argv[1]) : 1000;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  std::array<char, 64> out{}, in{};
  for (int i = 0; i < exchanges; ++i) {
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_CHAR, left, i % 3, MPI_COMM_WORLD,
              requests.data());
    MPI_Isend(out.data(), 8 + i % 40, MPI_CHAR, right, i % 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    if (i % 10 == 0) {
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
