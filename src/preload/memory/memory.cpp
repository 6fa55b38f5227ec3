// SPDX-License-Identifier: BSD-3-Clause
// Samples of /proc/self, /sys/fs/cgroup and /sys/class/powercap.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/files/files.hpp"
#include "preload/hooks.hpp"
#include "preload/memory/energy.hpp"
#include "preload/placement/cgroup.hpp"
#include "preload/placement/proc_files.hpp"
#include "preload/recorder.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload {

uint64_t next_memory_sample = UINT64_MAX;

namespace {

constexpr double kFirstPeriodS = 0.1;
constexpr uint32_t kSamplesPerPeriod = 512;
constexpr double kEnergyPeriodS = 30;  // counters of energy begin again after minutes

int sample_lock;
uint64_t period, next_energy_sample;

// The number behind a label, in the unit of the file.
uint64_t number_behind(const char* text, const char* label) {
  const char* at = strstr(text, label);
  return at ? strtoull(at + strlen(label), nullptr, 10) : 0;
}

uint64_t microseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
}

// CPU time and page faults of all threads.
void read_rusage(plait_memory_record* memory, bool at_end) {
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage)) return;
  memory->minor_faults[at_end] = static_cast<uint64_t>(usage.ru_minflt);
  memory->major_faults[at_end] = static_cast<uint64_t>(usage.ru_majflt);
  memory->user_us[at_end] = microseconds(usage.ru_utime);
  memory->system_us[at_end] = microseconds(usage.ru_stime);
}

void read_usage(plait_memory_record* memory, bool at_end) {
  char text[4096];
  read_rusage(memory, at_end);
  if (read_text("/proc/self/io", text, sizeof text) > 0) {
    memory->read_chars[at_end] = number_behind(text, "rchar: ");
    memory->write_chars[at_end] = number_behind(text, "wchar: ");
    memory->read_bytes[at_end] = number_behind(text, "\nread_bytes: ");
    memory->write_bytes[at_end] = number_behind(text, "\nwrite_bytes: ");
  }
  if (read_text("/proc/self/status", text, sizeof text) <= 0) return;
  // Not ru_maxrss, which includes what the process was before exec.
  const uint64_t peak = number_behind(text, "VmHWM:") * 1024;
  if (peak > memory->peak) memory->peak = peak;
  memory->resident = number_behind(text, "VmRSS:") * 1024;
  memory->anonymous = number_behind(text, "RssAnon:") * 1024;
  memory->shared = number_behind(text, "RssShmem:") * 1024;
}

void add_sample(uint64_t now) {
  char text[128];
  if (read_text("/proc/self/statm", text, sizeof text) <= 0) return;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  char* rest = nullptr;
  strtoull(text, &rest, 10);  // the address space
  const uint64_t resident = strtoull(rest, &rest, 10) * page;
  const uint64_t shared = strtoull(rest, nullptr, 10) * page;
  if (auto* sample = static_cast<plait_memory_sample*>(append(PLAIT_SECTION_MEMORY_SAMPLES))) {
    *sample = {now, resident, shared, __atomic_load_n(&moved_bytes[0], __ATOMIC_RELAXED),
               __atomic_load_n(&moved_bytes[1], __ATOMIC_RELAXED)};
    publish(PLAIT_SECTION_MEMORY_SAMPLES);
  }
  plait_memory_record* memory = memory_entry();
  if (!memory) return;
  memory->resident = resident;
  if (resident > memory->peak) memory->peak = resident;
  read_rusage(memory, true);
}

uint64_t ticks_of(double seconds) {
  return static_cast<uint64_t>(seconds * record->ticks_per_s);
}

// Waits until no other thread takes a sample; not for long, because a handler of the program may
// have left one by a jump.
void hold_samples() {
  constexpr int kMostWaits = 100;
  for (int i = 0; i < kMostWaits && __atomic_exchange_n(&sample_lock, 1, __ATOMIC_ACQUIRE); ++i)
    uncancelled::sleep({0, 1'000'000});
}

}  // namespace

void memory_begin() {
  plait_memory_record* memory = record ? memory_entry() : nullptr;
  if (!memory) return;
  char text[512];
  if (read_text("/proc/meminfo", text, sizeof text) > 0)
    memory->node = number_behind(text, "MemTotal:") * 1024;
  memory->limit = cgroup_memory_limit();
  read_usage(memory, false);
  read_usage(memory, true);
  sample_energy();
  const uint64_t now = now_ticks();
  add_sample(now);
  next_energy_sample = now + ticks_of(kEnergyPeriodS);
  period = ticks_of(kFirstPeriodS);
  __atomic_store_n(&next_memory_sample, now + period, __ATOMIC_RELEASE);
}

void memory_sample(uint64_t now) {
  if (!record || __atomic_exchange_n(&sample_lock, 1, __ATOMIC_ACQUIRE)) return;
  if (now >= next_memory_sample) {
    add_sample(now);
    if (record->sections[PLAIT_SECTION_MEMORY_SAMPLES].count % kSamplesPerPeriod == 0) period *= 2;
    if (now >= next_energy_sample) {
      sample_energy();
      next_energy_sample = now + ticks_of(kEnergyPeriodS);
    }
    __atomic_store_n(&next_memory_sample, now + period, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&sample_lock, 0, __ATOMIC_RELEASE);
}

void memory_finish() {
  plait_memory_record* memory = record ? memory_entry() : nullptr;
  if (!memory || !memory->node) return;  // MPI_Init has not ended
  hold_samples();
  __atomic_store_n(&next_memory_sample, UINT64_MAX, __ATOMIC_RELEASE);
  read_usage(memory, true);
  add_sample(now_ticks());
  sample_energy();
  __atomic_store_n(&sample_lock, 0, __ATOMIC_RELEASE);
}

}  // namespace plait::preload
