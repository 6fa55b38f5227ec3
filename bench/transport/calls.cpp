// SPDX-License-Identifier: BSD-3-Clause
// The measured programs with many calls: `calls exchange` has messages to few partners, as CG of
// the NAS benchmarks, `calls all` messages of all to all, as IS. Prints the time of a step, in us,
// after half a second or, with a second argument, as many seconds.
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "../timed_steps.hpp"

namespace {

/// Messages of up to 1 KiB with the partners of a hypercube, and two sums.
void exchange(int rank, int size, std::vector<double>& data, std::vector<double>& other) {
  constexpr int kMost = 128;
  for (int bit = 1, count = kMost; bit < size; bit *= 2) {
    const int partner = rank ^ bit;
    if (partner < size) {
      MPI_Sendrecv(data.data(), count, MPI_DOUBLE, partner, 0, other.data(), count, MPI_DOUBLE,
                   partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (count > 1) count /= 2;
  }
  for (int sum = 0; sum < 2; ++sum)
    MPI_Allreduce(data.data(), other.data(), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/// 1 KiB from each to each, and a sum of 4 KiB.
void all(int size, std::vector<double>& data, std::vector<double>& other) {
  constexpr int kEach = 128, kSum = 512;
  data.resize(static_cast<std::size_t>(size) * kEach + kSum);
  other.resize(data.size());
  MPI_Alltoall(data.data(), kEach, MPI_DOUBLE, other.data(), kEach, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allreduce(data.data(), other.data(), kSum, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool to_all = argc > 1 && std::strcmp(argv[1], "all") == 0;
  std::vector<double> data(512, 1), other(512);
  const auto step = [&](int /*step*/) {
    if (to_all) {
      all(size, data, other);
    } else {
      exchange(rank, size, data, other);
    }
  };
  plait::bench::print_step_time(5, step, argc > 2 ? std::atof(argv[2]) : 0.5);
  MPI_Finalize();
  return 0;
}
