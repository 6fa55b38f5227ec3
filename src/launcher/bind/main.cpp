// SPDX-License-Identifier: BSD-3-Clause
// plait-bind FILE PROGRAM ...: binds this rank to the hardware threads that FILE lists for it, then
// executes PROGRAM.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "base/failure.hpp"
#include "launcher/inside_launcher.hpp"
#include "machine/cpuset.hpp"
#include "plait/error.hpp"

namespace {

using plait::Error;
using plait::machine::CpuSet;

/// The CPUs in the line `RANK CPUS` of a rank; empty if there is none.
CpuSet cpus_of(const char* path, int rank) {
  std::ifstream file(path);
  if (!file) {
    throw Error(path, fmt::format("cannot be read on this node ({})", std::strerror(errno)),
                "put the files of the plan in a folder that all nodes see");
  }
  int number = 0;
  for (std::string cpus; file >> number >> cpus;) {
    if (number == rank) return CpuSet::parse(cpus);
  }
  return {};
}

void bind_to(const CpuSet& cpus, int rank) {
  const auto count = static_cast<std::size_t>(cpus.last()) + 1;
  cpu_set_t* set = CPU_ALLOC(count);
  const std::size_t size = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(size, set);
  for (const int cpu : cpus.indices()) CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
  const int failed = ::sched_setaffinity(0, size, set);
  const int reason = errno;
  CPU_FREE(set);
  // The kernel silently leaves out CPUs that this node does not have or the cgroup does not allow.
  if (failed != 0 || !(CpuSet::affinity_of(0) == cpus)) {
    throw Error(
        fmt::format("rank {}", rank),
        fmt::format("cannot be bound to cpus {} ({})", cpus.format(),
                    failed != 0
                        ? std::strerror(reason)
                        : "the node does not have some of them, or the job may not use them"),
        "make the plan for this machine: plait place --machine");
  }
}

void bind_this_rank(const char* file) {
  const auto job = plait::launcher::inside_launcher();
  const int rank = job ? job->rank : 0;
  const CpuSet cpus = cpus_of(file, rank);
  if (!cpus.empty()) bind_to(cpus, rank);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "plait-bind: error: usage: plait-bind FILE PROGRAM ...\n");
    return 2;
  }
  try {
    bind_this_rank(argv[1]);
  } catch (const Error& error) {
    fmt::print(stderr, "plait-bind: error: {}\n", error.what());
    return exit_code_of(error);
  }
  ::execvp(argv[2], argv + 2);
  fmt::print(stderr, "plait-bind: error: {}: cannot be started ({})\n", argv[2],
             std::strerror(errno));
  return 127;
}
