// SPDX-License-Identifier: BSD-3-Clause
// CPU time of each thread, its time waiting for a CPU, and its context switches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/hooks.hpp"
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

}  // namespace

void cpu_wait_sample(bool at_end) {
  if (!record) return;
  SpinLock hold(&cpu_wait_lock);
  each_number("/proc/self/task", &sample_thread, &at_end);
}

}  // namespace plait::preload
