// SPDX-License-Identifier: BSD-3-Clause
// The measured program: times a blocking step of the library and a hand-written MPI Jacobi with the
// same kernel in turn. Ranks form a chain along z.
//
// Prints for each size: cells ranks library_us by_hand_us ratio low high.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "plait/environment.hpp"
#include "plait/halo.hpp"
#include "plait/jacobi_kernel.hpp"
#include "plait/stepper.hpp"

namespace {

using plait::Field;

constexpr int rounds = 41;

/// The step as written without a library: exchange both faces with the neighbours, then sweep. The
/// rows of a plane, with the padding between them, are contiguous in memory.
class ByHand {
public:
  ByHand(int n, MPI_Comm comm) : n_(n), comm_(comm) {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    below_ = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    above_ = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  }

  void step(Field<double>& now, Field<double>& next, const plait::JacobiKernel& kernel) const {
    const int count = static_cast<int>(now.stride_y()) * (n_ - 1) + n_;
    MPI_Request requests[4];
    MPI_Irecv(now.row(0, -1), count, MPI_DOUBLE, below_, 0, comm_, &requests[0]);
    MPI_Irecv(now.row(0, n_), count, MPI_DOUBLE, above_, 1, comm_, &requests[1]);
    MPI_Isend(now.row(0, n_ - 1), count, MPI_DOUBLE, above_, 0, comm_, &requests[2]);
    MPI_Isend(now.row(0, 0), count, MPI_DOUBLE, below_, 1, comm_, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    kernel(now, next, now.own());
  }

private:
  int n_;
  MPI_Comm comm_;
  int below_;
  int above_;
};

/// Seconds of `steps` calls on the slowest rank.
double seconds(int steps, const std::function<void()>& step) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < steps; ++i) step();
  double mine = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return mine;
}

void compare(int n, int ranks, int rank) {
  const plait::CartesianGrid grid(MPI_COMM_WORLD, {n, n, n * ranks},
                                  {.ranks = {1, 1, ranks}, .map = plait::RankMap::row_major});
  Field<double> now(grid, 1);
  Field<double> next(grid, 1);
  const plait::JacobiKernel kernel(grid.own_cells(), 1, ranks);
  plait::Halo halo(grid, now);
  plait::Stepper stepper(halo, plait::ScheduleKind::blocking);
  const ByHand by_hand(n, grid.comm());

  const auto library_step = [&] {
    stepper.step(now, [&](const plait::Box& box) { kernel(now, next, box); });
    std::swap(now, next);
  };
  const auto hand_step = [&] {
    by_hand.step(now, next, kernel);
    std::swap(now, next);
  };
  // A few milliseconds per sample; both numbers are even, so that the fields return to their
  // places.
  const int steps = n >= 100 ? 4 : 400;
  std::vector<double> library;
  std::vector<double> hand;
  for (int round = -2; round < rounds; ++round) {
    const bool library_first = round % 2 == 0;
    double first = seconds(steps, library_first ? std::function<void()>(library_step) : hand_step);
    double second = seconds(steps, library_first ? std::function<void()>(hand_step) : library_step);
    if (round < 0) continue;
    library.push_back((library_first ? first : second) / steps);
    hand.push_back((library_first ? second : first) / steps);
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < library.size(); ++i) ratios.push_back(library[i] / hand[i]);
  for (auto* sample : {&library, &hand, &ratios}) std::sort(sample->begin(), sample->end());
  // 95 % interval of a median by its order statistics (Le Boudec 2010, theorem 2.1).
  const auto half = static_cast<std::size_t>(std::lround(0.98 * std::sqrt(rounds)));
  constexpr std::size_t middle = rounds / 2;
  if (rank != 0) return;
  std::printf("%d %d %.3f %.3f %.4f %.4f %.4f\n", n, ranks, library[middle] * 1e6,
              hand[middle] * 1e6, ratios[middle], ratios[middle - half], ratios[middle + half]);
}

}  // namespace

int main(int argc, char** argv) {
  const plait::Environment environment(argc, argv);
  return plait::guarded("jacobi-step", [&] {
    for (const int n : {24, 120}) compare(n, environment.size(), environment.rank());
    return 0;
  });
}
