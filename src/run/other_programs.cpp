// SPDX-License-Identifier: BSD-3-Clause
// The CPUs that other programs use while a job runs, from /proc/stat, proc_stat(5).
#include "run/other_programs.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>

namespace plait::run {
namespace {

cpu_set_t allowed() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

/// CPU time of all programs on these CPUs since the system's start.
double busy_s(const cpu_set_t& cpus) {
  std::ifstream stat("/proc/stat");
  double ticks = 0;
  for (std::string line; std::getline(stat, line) && line.starts_with("cpu");) {
    std::istringstream columns(line.substr(3));
    if (line[3] == ' ') continue;  // the sum of all CPUs
    int cpu = 0;
    std::array<double, 7> of{};  // user, nice, system, idle, waiting for a disk, interrupts
    columns >> cpu;
    for (double& one : of) columns >> one;
    if (cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &cpus)) continue;
    ticks += of[0] + of[1] + of[2] + of[5] + of[6];
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double seconds(const timeval& of) {
  return static_cast<double>(of.tv_sec) + static_cast<double>(of.tv_usec) * 1e-6;
}

double own_s() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage use{};
    getrusage(who, &use);
    sum += seconds(use.ru_utime) + seconds(use.ru_stime);
  }
  return sum;
}

double now_s() {
  using std::chrono::steady_clock;
  return std::chrono::duration<double>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

OtherPrograms::OtherPrograms() : busy_s_(busy_s(allowed())), own_s_(own_s()), begin_s_(now_s()) {}

double OtherPrograms::cpus() const {
  constexpr double kShortest = 0.2;
  const double elapsed = now_s() - begin_s_;
  if (elapsed < kShortest) return 0;
  const double others = busy_s(allowed()) - busy_s_ - (own_s() - own_s_);
  return std::max(0.0, others / elapsed);
}

int allowed_cpus() {
  const cpu_set_t set = allowed();
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace plait::run
