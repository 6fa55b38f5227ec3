// SPDX-License-Identifier: BSD-3-Clause
// Where inside its node a process may run, by its affinity and the kernel's list of cores.
#include "preload/mapper/place.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "preload/uncancelled.hpp"

namespace plait::preload::mapper {
namespace {

constexpr int kMostCpus = 8192;

int read_number(const char* cpus, int cpu, const char* file) {
  char path[512], text[32] = "";
  std::snprintf(path, sizeof path, "%s/cpu%d/%s", cpus, cpu, file);
  const int descriptor = uncancelled::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  const ssize_t bytes = uncancelled::read(descriptor, text, sizeof text - 1);
  uncancelled::close(descriptor);
  return bytes > 0 ? std::atoi(text) : -1;
}

/// The first processor of a list like "4-7,12-15", which names those that share a cache.
/// cache/index3 is the third level on every processor that has one.
int first_of_cache(const char* cpus, int cpu) {
  return read_number(cpus, cpu, "cache/index3/shared_cpu_list");
}

int numa_of(const char* cpus, int cpu) {
  char path[512];
  std::snprintf(path, sizeof path, "%s/cpu%d", cpus, cpu);
  const uncancelled::Section section;
  DIR* folder = ::opendir(path);
  int number = -1;
  for (const dirent* entry = folder ? readdir(folder) : nullptr; entry; entry = readdir(folder))
    if (!std::strncmp(entry->d_name, "node", 4)) number = std::atoi(entry->d_name + 4);
  if (folder) closedir(folder);
  return number;
}

Inside place_of(const char* cpus, int cpu) {
  // A core is named by its first hardware thread: the kernel's core_id is only unique in a package.
  return {read_number(cpus, cpu, "topology/physical_package_id"), numa_of(cpus, cpu),
          first_of_cache(cpus, cpu), read_number(cpus, cpu, "topology/thread_siblings_list")};
}

}  // namespace

Inside place_inside_node(const char* cpus) {
  Inside place{-1, -1, -1, -1};
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(CPU_ALLOC(kMostCpus),
                                                              [](cpu_set_t* m) { CPU_FREE(m); });
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  if (!mask || sched_getaffinity(0, bytes, mask.get()) != 0) return place;
  bool first = true;
  for (int cpu = 0; cpu < kMostCpus; ++cpu) {
    if (!CPU_ISSET_S(cpu, bytes, mask.get())) continue;
    const Inside other = place_of(cpus, cpu);
    for (std::size_t level = 0; level < place.size(); ++level)
      place[level] = first || place[level] == other[level] ? other[level] : -1;
    first = false;
    // The package is the widest level: a process on several packages is on several of everything.
    if (place == Inside{-1, -1, -1, -1}) break;
  }
  return place;
}

}  // namespace plait::preload::mapper
