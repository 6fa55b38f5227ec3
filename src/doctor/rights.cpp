// SPDX-License-Identifier: BSD-3-Clause
// Finds out which permissions for measuring this user has on this node.
#include "doctor/rights.hpp"

#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "machine/cgroup.hpp"
#include "run/counter_events.hpp"

namespace plait::doctor {
namespace {

std::optional<int> read_number(const char* path) {
  std::ifstream in(path);
  int value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

bool try_cma() {
  int from = 1;
  int to = 0;
  const iovec local{&to, sizeof to};
  const iovec remote{&from, sizeof from};
  return ::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0) == sizeof to;
}

}  // namespace

Rights find_rights() {
  Rights rights;
  rights.perf_event_paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");
  const int why = run::try_event(run::find_event("cycles"));
  rights.hardware_counters = why == 0;
  if (why == ENOENT || why == ENODEV || why == EOPNOTSUPP) {
    rights.hardware_counters_problem = "the processor does not provide any";
  } else if (why == EACCES || why == EPERM) {
    rights.hardware_counters_problem = "the kernel forbids them";
  } else if (why != 0) {
    rights.hardware_counters_problem = std::strerror(why);
  }
  rights.software_counters = run::try_event(run::find_event("page-faults")) == 0;
  rights.ptrace_scope = read_number("/proc/sys/kernel/yama/ptrace_scope");
  rights.cma = try_cma();
  struct statvfs shm {};
  if (::statvfs("/dev/shm", &shm) == 0) {
    rights.shm_bytes = std::uint64_t{shm.f_blocks} * shm.f_frsize;
    rights.shm_free_bytes = std::uint64_t{shm.f_bavail} * shm.f_frsize;
  }
  rights.cgroup_quota_cores = machine::cgroup_quota_cores();
  return rights;
}

}  // namespace plait::doctor
