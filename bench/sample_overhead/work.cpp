// SPDX-License-Identifier: BSD-3-Clause
// The measured program: below a stack of 30 frames it sends itself signals as its timer does, and
// prints how long one takes, in us: the median and the fastest. Between signals it uses memory, so
// that samples find the caches as in a program that computes.
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr int kSignals = 1000;
constexpr std::size_t kMemory = 8 << 20;

/// The highest signal with a handler, which libplait-signals.so does not show; 0: none.
int sampling_signal() {
  struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    std::uint64_t mask;
  } action{};
  for (int number = SIGRTMAX; number >= SIGRTMIN; --number) {
    const long failed = syscall(SYS_rt_sigaction, number, nullptr, &action, sizeof action.mask);
    if (failed == 0 && action.handler != nullptr) return number;
  }
  return 0;
}

void send(int number) {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_TIMER;
  syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), number, &info);
}

/// Signal 0 is only checked: the cost of sending.
std::vector<double> times_us(int number) {
  static std::vector<std::uint64_t> memory(kMemory / sizeof(std::uint64_t), 1);
  std::vector<double> times;
  for (int i = 0; i < kSignals; ++i) {
    for (std::uint64_t& value : memory) value = value * 3 + 1;
    const auto begin = std::chrono::steady_clock::now();
    send(number);
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    times.push_back(taken.count());
  }
  std::sort(times.begin(), times.end());
  return times;
}

[[gnu::noinline]] int below(int frames) {
  if (frames > 0) {
    const volatile int result = below(frames - 1);
    return result;
  }
  const std::vector<double> sampled = times_us(sampling_signal()), sent = times_us(0);
  std::printf("%.3f %.3f\n", sampled[kSignals / 2] - sent[kSignals / 2],
              sampled.front() - sent.front());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int result = below(30);
  MPI_Finalize();
  return result;
}
