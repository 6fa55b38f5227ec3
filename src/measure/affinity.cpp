// SPDX-License-Identifier: BSD-3-Clause
// Binds the calling thread to a hardware thread, and reads how long others kept it waiting there.
#include "measure/affinity.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>

namespace plait::measure {

bool bind_this_thread(int pu) {
  const int limit = pu + 1;
  cpu_set_t* set = CPU_ALLOC(limit);
  if (set == nullptr) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(limit);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(pu, bytes, set);
  const bool done = ::sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return done;
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
