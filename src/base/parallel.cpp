// SPDX-License-Identifier: BSD-3-Clause
// Independent pieces of work on the cores that there are.
#include "base/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace plait {

unsigned usable_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    return std::max(1U, static_cast<unsigned>(CPU_COUNT(&cpus)));
  }
  return std::max(1U, std::thread::hardware_concurrency());  // more CPUs than the set has room for
}

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work,
                    unsigned threads) {
  if (threads == 0) threads = usable_cpus();
  std::atomic<std::size_t> next{0};
  std::mutex lock;
  std::exception_ptr failure;
  std::size_t failed = count;
  const auto run = [&] {
    for (std::size_t index = next++; index < count; index = next++) {
      try {
        work(index);
      } catch (...) {
        const std::lock_guard hold(lock);
        if (index >= failed) continue;
        failed = index;
        failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) {
    try {
      others.emplace_back(run);
    } catch (const std::system_error&) {
      break;  // a limit of threads: those that there are do the work
    }
  }
  run();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

std::vector<IndexRange> ranges_of(std::size_t count, unsigned threads) {
  constexpr std::size_t kOfThread = 8;
  const std::size_t number = std::min(count, kOfThread * (threads == 0 ? usable_cpus() : threads));
  std::vector<IndexRange> ranges;
  for (std::size_t i = 0; i < number; ++i) {
    ranges.push_back({count * i / number, count * (i + 1) / number});
  }
  return ranges;
}

}  // namespace plait
