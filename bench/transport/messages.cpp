// SPDX-License-Identifier: BSD-3-Clause
// The measured program: messages of several sizes between two ranks, forth and back, and in the
// same second what no message can be faster than. Prints a line for each size: bytes, then least
// times in us of a message, of a cache line that the two write in turn, and of a copy in one rank.
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

/// A page that both ranks share.
std::atomic<int>* shared_page(int rank) {
  char name[] = "/dev/shm/plait-bench-XXXXXX";
  const int made = rank == 0 ? mkstemp(name) : -1;
  if (rank == 0 && (made < 0 || ftruncate(made, 4096) != 0)) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  const int file = rank == 0 ? made : open(name, O_RDWR);
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  return static_cast<std::atomic<int>*>(page);
}

/// The time in which a line that one rank has written reaches the other, in us.
double pass_line(int rank, std::atomic<int>& turn) {
  constexpr int kTurns = 100;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < kTurns; ++i) {
    for (int look = 1; turn.load(std::memory_order_acquire) % 2 != rank; ++look) {
      if (look % 10000 == 0) sched_yield();
    }
    turn.fetch_add(1, std::memory_order_release);
  }
  return (MPI_Wtime() - begin) / (2.0 * kTurns) * 1e6;
}

/// The time of a copy, in us.
double copy(std::vector<char>& data, std::vector<char>& other, int bytes, int times) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    std::memcpy(other.data(), data.data(), static_cast<std::size_t>(bytes));
    __asm__ volatile("" ::"r"(other.data()) : "memory");
  }
  return (MPI_Wtime() - begin) / times * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kBlocks = 200, kMostBytes = 4 << 20;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::atomic<int>& turn = *shared_page(rank);
  std::vector<char> data(kMostBytes, 'x'), other(kMostBytes, 'x');
  for (int bytes = 8; bytes <= kMostBytes; bytes = bytes == 8 ? 1024 : 4 * bytes) {
    const int times = std::clamp((128 << 10) / bytes, 2, 100);
    double message_us = 1e9, line_us = 1e9, copy_us = 1e9;
    for (int block = 0; block < kBlocks; ++block) {
      message_us = std::min(message_us, exchange(rank, data, bytes, times));
      line_us = std::min(line_us, pass_line(rank, turn));
      copy_us = std::min(copy_us, copy(data, other, bytes, times));
    }
    if (rank == 0) std::printf("%d %.4f %.4f %.4f\n", bytes, message_us, line_us, copy_us);
  }
  MPI_Finalize();
  return 0;
}
