// SPDX-License-Identifier: BSD-3-Clause
// CPU time of each thread, its time waiting for a CPU, and its context switches; use of the CPUs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload/cpu_wait/cpu_use.hpp"
#include "preload/hooks.hpp"
#include "preload/placement/cgroup.hpp"
#include "preload/placement/proc_files.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {

namespace {

int cpu_wait_lock;

uint64_t number_behind(const char* text, const char* label) {
  const char* at = strstr(text, label);
  return at ? strtoull(at + strlen(label), nullptr, 10) : 0;
}

// A thread has two samples: at Init, and the latest.
plait_cpu_wait_record* entry_for(int tid, bool at_end, bool* is_new) {
  const uint32_t count = record->sections[PLAIT_SECTION_CPU_WAIT].count;
  *is_new = false;
  for (uint32_t i = 0; i < count; ++i) {
    auto* entry = entry_at<plait_cpu_wait_record>(PLAIT_SECTION_CPU_WAIT, i);
    if (entry->tid == tid && (entry->at_end != 0) == at_end) return entry;
  }
  *is_new = true;
  return static_cast<plait_cpu_wait_record*>(append(PLAIT_SECTION_CPU_WAIT));
}

bool sample_thread(int tid, void* data) {
  const bool at_end = *static_cast<const bool*>(data);
  char path[64], times[128], status[4096];
  snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
  if (read_text(path, times, sizeof times) <= 0) return true;  // ended, or the kernel keeps none
  snprintf(path, sizeof path, "/proc/self/task/%d/status", tid);
  if (read_text(path, status, sizeof status) <= 0) return true;
  bool is_new = false;
  plait_cpu_wait_record* entry = entry_for(tid, at_end, &is_new);
  if (!entry) return false;
  entry->tid = tid;
  entry->at_end = at_end;
  entry->ticks = now_ticks();
  char* rest = nullptr;
  entry->cpu_ns = strtoull(times, &rest, 10);
  entry->wait_ns = strtoull(rest, nullptr, 10);
  entry->voluntary = number_behind(status, "\nvoluntary_ctxt_switches:");
  entry->involuntary = number_behind(status, "\nnonvoluntary_ctxt_switches:");
  if (is_new) publish(PLAIT_SECTION_CPU_WAIT);
  return true;
}

// A CPU has two samples, as a thread has.
plait_cpu_use_record* use_of(int cpu, bool at_end) {
  const uint32_t count = record->sections[PLAIT_SECTION_CPU_USE].count;
  for (uint32_t i = 0; i < count; ++i) {
    auto* entry = entry_at<plait_cpu_use_record>(PLAIT_SECTION_CPU_USE, i);
    if (entry->cpu == cpu && (entry->at_end != 0) == at_end) return entry;
  }
  auto* entry = static_cast<plait_cpu_use_record*>(append(PLAIT_SECTION_CPU_USE));
  if (!entry) return nullptr;
  entry->cpu = cpu;
  entry->at_end = at_end;
  publish(PLAIT_SECTION_CPU_USE);
  return entry;
}

void sample_cpus(bool at_end) {
  static char text[1 << 17];  // the CPUs come first; under the lock
  uint64_t allowed[PLAIT_MAX_CPUS / 64] = {};
  if (affinity_of(getpid(), allowed) <= 0 || read_text("/proc/stat", text, sizeof text) <= 0)
    return;
  CpuUse use;
  for (const char* at = text; next_cpu_use(&at, &use);) {
    if (use.cpu >= PLAIT_MAX_CPUS || !((allowed[use.cpu / 64] >> (use.cpu % 64)) & 1)) continue;
    plait_cpu_use_record* entry = use_of(use.cpu, at_end);
    if (!entry) return;
    entry->busy_ns = use.busy_ns;
    entry->steal_ns = use.steal_ns;
  }
}

void sample_process(bool at_end) {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  record->process_cpu_ns[at_end] =
      static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
  record->throttled_ns[at_end] = cgroup_throttled_ns();
}

}  // namespace

void cpu_wait_sample(bool at_end) {
  if (!record) return;
  SpinLock hold(&cpu_wait_lock);
  each_number("/proc/self/task", &sample_thread, &at_end);
  sample_cpus(at_end);
  sample_process(at_end);
}

}  // namespace plait::preload
