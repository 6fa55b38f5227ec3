// SPDX-License-Identifier: BSD-3-Clause
// This process on the page of its node.
#include "preload/wait/page.hpp"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "preload/node_file.hpp"

namespace plait::preload::wait {

plait_wait_page* page;
plait_wait_process* myself;
uint32_t my_index;

namespace {

plait_wait_page* map_page(const char* folder) {
  char boot[64], path[PATH_MAX];
  if (!read_boot(boot, sizeof boot)) return nullptr;
  const int length = snprintf(path, sizeof path, "%s/%s%s", folder, boot, PLAIT_WAIT_SUFFIX);
  if (length <= 0 || static_cast<size_t>(length) >= sizeof path) return nullptr;
  return static_cast<plait_wait_page*>(map_node_file(path, sizeof(plait_wait_page)));
}

/// The clock of a process' CPU time, as clock_getcpuclockid(3) makes it.
clockid_t cpu_clock_of(int32_t pid) {
  return static_cast<clockid_t>((~static_cast<uint32_t>(pid) << 3) | 2u);
}

}  // namespace

bool enter_page(plait_wait_policy policy) {
  const char* folder = getenv("PLAIT_RECORDS");
  plait_wait_page* mapped = folder && *folder ? map_page(folder) : nullptr;
  if (!mapped) return false;
  const uint32_t index = __atomic_fetch_add(&mapped->processes, 1u, __ATOMIC_RELAXED);
  if (index >= PLAIT_WAIT_PROCESSES) {
    munmap(mapped, sizeof *mapped);
    return false;
  }
  mapped->version = PLAIT_WAIT_VERSION;
  mapped->policy = policy;
  gethostname(mapped->host, sizeof mapped->host - 1);
  __atomic_store_n(&mapped->magic, PLAIT_WAIT_MAGIC, __ATOMIC_RELEASE);
  my_index = index;
  myself = &mapped->process[index];
  myself->pid = static_cast<int32_t>(getpid());
  note_cpus();
  __atomic_store_n(&myself->ready, 1u, __ATOMIC_RELEASE);
  page = mapped;
  return true;
}

void note_cpus() {
  note_cpus_in(myself->cpus, PLAIT_WAIT_CPU_SETS);
}

uint64_t cpu_time_of_all() {
  const uint32_t count = __atomic_load_n(&page->processes, __ATOMIC_RELAXED);
  if (count > PLAIT_WAIT_PROCESSES) return 0;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    timespec time{};
    if (!__atomic_load_n(&page->process[i].ready, __ATOMIC_ACQUIRE)) return 0;
    if (clock_gettime(cpu_clock_of(page->process[i].pid), &time)) return 0;
    sum += static_cast<uint64_t>(time.tv_sec) * 1000000000u + static_cast<uint64_t>(time.tv_nsec);
  }
  return sum;
}

}  // namespace plait::preload::wait
