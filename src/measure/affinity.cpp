// SPDX-License-Identifier: BSD-3-Clause
// Binds the calling thread to hardware threads, and reads how long it waited for a CPU.
#include "measure/affinity.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <memory>

namespace plait::measure {

namespace {

/// A CPU set in the format of the kernel; null when there is no memory.
struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuMask = std::unique_ptr<cpu_set_t, FreeSet>;

}  // namespace

bool bind_this_thread(int pu) {
  return bind_this_thread(std::vector<int>{pu});
}

bool bind_this_thread(const std::vector<int>& pus) {
  if (pus.empty()) return false;
  const int limit = *std::max_element(pus.begin(), pus.end()) + 1;
  const CpuMask set(CPU_ALLOC(limit));
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(limit);
  CPU_ZERO_S(bytes, set.get());
  for (const int pu : pus) CPU_SET_S(pu, bytes, set.get());
  return ::sched_setaffinity(0, bytes, set.get()) == 0;
}

std::vector<int> allowed_pus() {
  constexpr int kMost = 1 << 16;
  const CpuMask set(CPU_ALLOC(kMost));
  const std::size_t bytes = CPU_ALLOC_SIZE(kMost);
  std::vector<int> pus;
  if (set == nullptr || ::sched_getaffinity(0, bytes, set.get()) != 0) return pus;
  for (int pu = 0; pu < kMost; ++pu) {
    if (CPU_ISSET_S(pu, bytes, set.get())) pus.push_back(pu);
  }
  return pus;
}

std::int64_t run_delay_ns() {
  const int fd = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  std::array<char, 128> text{};
  const ssize_t n = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  if (n <= 0 || std::sscanf(text.data(), "%" SCNd64 " %" SCNd64, &running, &waiting) != 2)
    return -1;
  return waiting;
}

}  // namespace plait::measure
