// SPDX-License-Identifier: BSD-3-Clause
// The measured program: computes below a stack of 30 frames, and prints which part of the time it
// was interrupted for 0.4 to 200 us at a time, which is what samples and the kernel's ticks take.
// Longer gaps are other programs'.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <ctime>

#include "preload/recorder.hpp"

namespace {

constexpr double kShortestS = 0.4e-6, kLongestS = 200e-6, kCpuS = 3;

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double ticks_per_s() {
  const double begin = seconds(CLOCK_MONOTONIC);
  const std::uint64_t first = plait::preload::now_ticks();
  while (seconds(CLOCK_MONOTONIC) < begin + 0.05) {
  }
  return static_cast<double>(plait::preload::now_ticks() - first) /
         (seconds(CLOCK_MONOTONIC) - begin);
}

/// The part of the time that was interrupted.
[[gnu::noinline]] double interrupted() {
  const double rate = ticks_per_s();
  const auto shortest = static_cast<std::uint64_t>(kShortestS * rate);
  const auto longest = static_cast<std::uint64_t>(kLongestS * rate);
  std::uint64_t gaps = 0, without = 0;
  const double until = seconds(CLOCK_THREAD_CPUTIME_ID) + kCpuS;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < until) {
    std::uint64_t last = plait::preload::now_ticks();
    for (int i = 0; i < 1000000; ++i) {
      const std::uint64_t now = plait::preload::now_ticks();
      const std::uint64_t gap = now - last;
      last = now;
      if (gap > longest) continue;
      (gap > shortest ? gaps : without) += gap;
    }
  }
  return static_cast<double>(gaps) / static_cast<double>(gaps + without);
}

[[gnu::noinline]] double below(int frames) {
  volatile double result = frames == 0 ? interrupted() : below(frames - 1);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double share = below(30);
  MPI_Finalize();
  std::printf("%.9f\n", share);
  return 0;
}
