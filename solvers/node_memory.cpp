// SPDX-License-Identifier: BSD-3-Clause
// Reads how much memory the node has, and compares it with what its ranks need.
#include "node_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <limits>

namespace plait {
namespace {

/// The first number in a file; 0 if there is none, as for "max".
double number_in(const char* path) {
  std::ifstream file(path);
  double number = 0;
  return file >> number ? number : 0;
}

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

}  // namespace

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;  // in pages
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double bytes_within_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<double>::infinity();
  }
  // The first number is the size of this process in pages.
  const double used = number_in("/proc/self/statm") * static_cast<double>(sysconf(_SC_PAGESIZE));
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

double available_bytes() {
  double available = 0;
  std::ifstream file("/proc/meminfo");
  for (std::string name, unit; file >> name;) {
    if (name == "MemAvailable:" && file >> available) available *= 1024;
    std::getline(file, unit);
  }
  // A container may have less than its node.
  const double limit = number_in("/sys/fs/cgroup/memory.max");
  if (limit > 0) {
    const double left = limit - number_in("/sys/fs/cgroup/memory.current");
    available = available > 0 ? std::min(available, left) : left;
  }
  return available;
}

void check_node_memory(MPI_Comm comm, const std::string& input, double own_bytes,
                       const std::string& remedy) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  double needed = 0;
  MPI_Allreduce(&own_bytes, &needed, 1, MPI_DOUBLE, MPI_SUM, node);
  MPI_Comm_free(&node);
  const double available = available_bytes();
  const double allowed = bytes_within_limit();
  agreed(comm, input, [&] {
    if (own_bytes > allowed) {
      throw Error(input,
                  "needs " + gigabytes(own_bytes) +
                      " per rank, and the limit of a process allows " + gigabytes(allowed),
                  "raise the limit (ulimit -v), or " + remedy);
    }
    if (available > 0 && needed > available) {
      throw Error(input,
                  "needs " + gigabytes(needed) + " on a node that has " + gigabytes(available),
                  remedy);
    }
  });
}

}  // namespace plait
