// SPDX-License-Identifier: BSD-3-Clause
// On which hardware threads the threads of another process may run.
#include "remap/affinity.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

#include "plait/error.hpp"

namespace plait::remap {
namespace {

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> threads;
  std::error_code none;
  std::filesystem::directory_iterator at(fmt::format("/proc/{}/task", pid), none);
  for (; !none && at != std::filesystem::directory_iterator(); at.increment(none)) {
    const std::string name = at->path().filename().string();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    if (thread > 0) threads.push_back(thread);
  }
  return threads;
}

/// A set of the kernel, which has room for every hardware thread.
class KernelSet {
public:
  explicit KernelSet(const machine::CpuSet& cpus)
      : count_(static_cast<std::size_t>(std::max(cpus.last(), 0)) + 1), set_(CPU_ALLOC(count_)) {
    CPU_ZERO_S(bytes(), set_);
    for (const int cpu : cpus.indices()) CPU_SET_S(static_cast<std::size_t>(cpu), bytes(), set_);
  }
  ~KernelSet() { CPU_FREE(set_); }
  KernelSet(const KernelSet&) = delete;
  KernelSet& operator=(const KernelSet&) = delete;

  [[nodiscard]] bool give(pid_t thread) const {
    return ::sched_setaffinity(thread, bytes(), set_) == 0;
  }

private:
  [[nodiscard]] std::size_t bytes() const { return CPU_ALLOC_SIZE(count_); }

  std::size_t count_;
  cpu_set_t* set_;
};

}  // namespace

std::vector<machine::CpuSet> affinities_of(pid_t pid) {
  std::vector<machine::CpuSet> sets;
  for (const pid_t thread : threads_of(pid)) {
    try {
      sets.push_back(machine::CpuSet::affinity_of(thread));
    } catch (const Error&) {
      continue;  // it has ended
    }
  }
  return sets;
}

bool move_process(pid_t pid, const machine::CpuSet& cpus) {
  const KernelSet set(cpus);
  if (!set.give(pid)) return false;
  std::vector<pid_t> moved{pid};
  // A thread that a thread not yet moved has started meanwhile is in the next list.
  for (bool more = true; more;) {
    more = false;
    for (const pid_t thread : threads_of(pid)) {
      if (std::find(moved.begin(), moved.end(), thread) != moved.end()) continue;
      (void)set.give(thread);
      moved.push_back(thread);
      more = true;
    }
  }
  return true;
}

}  // namespace plait::remap
