// SPDX-License-Identifier: BSD-3-Clause
// Tests that the thread sanitizer understands the library's synchronization: each way in which
// threads share a field, once ordered (must be silent) and once unordered (must be found).
//
// Usage: races region|barrier|tasks|thread|mpi ordered|racy
#include <mpi.h>
#include <omp.h>

#include <cstdio>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr int kCells = 4096;
constexpr int kRepetitions = 50;

using Cells = std::vector<double>;

/// Threads write parts of a field: disjoint ones, or all the same.
void region(Cells& cells, bool ordered) {
#pragma omp parallel num_threads(2)
  {
    const int part = ordered ? omp_get_thread_num() : 0;
    for (int i = part * kCells / 2; i < (part + 1) * kCells / 2; ++i) cells[i] += 1;
  }
}

/// One thread writes what the other reads behind a barrier.
void barrier(Cells& cells, bool ordered) {
  double seen = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) cells[0] = 1;
    if (ordered) {
#pragma omp barrier
    }
    if (omp_get_thread_num() == 1) seen = cells[0];
  }
  cells[1] = seen;
}

/// One thread makes tasks of blocks, which both run; or both threads make tasks of all blocks.
void tasks(Cells& cells, bool ordered) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1 || !ordered) {
      for (int block = 0; block < 16; ++block) {
#pragma omp task firstprivate(block) shared(cells)
        for (int i = block * kCells / 16; i < (block + 1) * kCells / 16; ++i) cells[i] += block;
      }
    }
  }
}

/// A thread beside the team writes a cell; the team goes on after, or without, its end.
void thread(Cells& cells, bool ordered) {
  std::thread beside([&] { cells[0] += 1; });
  if (ordered) beside.join();
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < kCells; ++i) cells[i] += 1;
  if (!ordered) beside.join();
}

/// One thread exchanges half a field by MPI while the other updates the other half, or all.
void mpi(Cells& cells, bool ordered) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Cells ghosts(kCells / 2);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < kCells / 2; ++i) cells[i] += 1;
      MPI_Sendrecv(cells.data(), kCells / 2, MPI_DOUBLE, (rank + 1) % ranks, 0, ghosts.data(),
                   kCells / 2, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    } else {
      for (int i = ordered ? kCells / 2 : 0; i < kCells; ++i) cells[i] += 1;
    }
  }
  cells[0] += ghosts[0];
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view way = argc > 1 ? argv[1] : "", order = argc > 2 ? argv[2] : "";
  void (*run)(Cells&, bool) = way == "region"    ? region
                              : way == "barrier" ? barrier
                              : way == "tasks"   ? tasks
                              : way == "thread"  ? thread
                              : way == "mpi"     ? mpi
                                                 : nullptr;
  if (!run || (order != "ordered" && order != "racy")) {
    std::fputs("usage: races region|barrier|tasks|thread|mpi ordered|racy\n", stderr);
    return 2;
  }
  int granted = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  Cells cells(kCells);
  for (int repetition = 0; repetition < kRepetitions; ++repetition) run(cells, order == "ordered");
  MPI_Finalize();
  std::puts("done");
  return 0;
}
