// SPDX-License-Identifier: BSD-3-Clause
// Scans /proc for running processes that are bound to our cores and do not belong to this run.
//
// The scheduler can move a process that may run anywhere. One that is bound to a part of the
// machine that overlaps with ours will use our cores. Processes of the same run have the same
// PLAIT_RECORDS in their environment, or have started us; they have their own records.
#include "preload/placement/foreign.hpp"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload/placement/proc_files.hpp"
#include "preload/recorder.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload {

namespace {

constexpr int kScanned = 4096;       // processes looked at
constexpr int kCandidates = 256;     // looked at closely
constexpr long kLookNs = 12000000;   // the kernel updates a process' CPU time once per tick
constexpr double kIdleShare = 0.02;  // of a core: below, it does not matter

struct Candidate {
  int pid;
  uint64_t mask[PLAIT_MAX_CPUS / 64];
  uint64_t cpu_ns;  // used before
  bool runs;        // or waits for a CPU
};

struct Scan {
  const uint64_t* allowed;
  long machine_cpus;
  int left;
  int count;
  Candidate candidates[kCandidates];
};

uint64_t cpu_ns_of(int pid) {
  char path[64], text[128];
  snprintf(path, sizeof path, "/proc/%d/schedstat", pid);
  return read_text(path, text, sizeof text) > 0 ? strtoull(text, nullptr, 10) : 0;
}

bool overlap(const uint64_t* a, const uint64_t* b) {
  for (int i = 0; i < PLAIT_MAX_CPUS / 64; ++i)
    if (a[i] & b[i]) return true;
  return false;
}

bool is_ancestor(int pid) {
  char path[64], stat[1024];
  int at = getppid();
  for (int depth = 0; depth < 32 && at > 1; ++depth) {
    if (at == pid) return true;
    snprintf(path, sizeof path, "/proc/%d/stat", at);
    const char* parent = read_text(path, stat, sizeof stat) > 0 ? stat_field(stat, 4) : nullptr;
    at = parent ? atoi(parent) : 0;
  }
  return false;
}

bool is_of_this_run(int pid) {
  const char* folder = getenv("PLAIT_RECORDS");
  if (!folder) return false;
  char path[64], wanted[PATH_MAX + 16];
  static char environment[1 << 16];  // only at the end of MPI_Init, by one thread
  snprintf(path, sizeof path, "/proc/%d/environ", pid);
  snprintf(wanted, sizeof wanted, "PLAIT_RECORDS=%s", folder);
  const long length = read_text(path, environment, sizeof environment);
  for (long at = 0; at < length; at += static_cast<long>(strlen(environment + at)) + 1)
    if (!strcmp(environment + at, wanted)) return true;
  return false;
}

bool is_kernel_thread(const char* stat) {
  const char* flags = stat_field(stat, 9);
  return flags && (strtoul(flags, nullptr, 10) & 0x00200000);  // PF_KTHREAD
}

bool is_running(const char* stat) {
  const char* state = stat_field(stat, 3);
  return state && *state == 'R';
}

bool look_at(int pid, void* data) {
  auto& scan = *static_cast<Scan*>(data);
  if (--scan.left < 0 || scan.count == kCandidates) return false;
  uint64_t mask[PLAIT_MAX_CPUS / 64] = {};
  const int cpus = pid == getpid() ? -1 : affinity_of(pid, mask);
  if (cpus <= 0 || cpus >= scan.machine_cpus || !overlap(mask, scan.allowed)) return true;
  char path[64], stat[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  if (read_text(path, stat, sizeof stat) <= 0 || is_kernel_thread(stat) || is_ancestor(pid) ||
      is_of_this_run(pid)) {
    return true;
  }
  Candidate& candidate = scan.candidates[scan.count++];
  candidate.pid = pid;
  memcpy(candidate.mask, mask, sizeof mask);
  candidate.cpu_ns = cpu_ns_of(pid);
  candidate.runs = is_running(stat);
  return true;
}

int64_t monotonic_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

void keep(const Candidate& candidate, double share) {
  char path[64], name[64] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", candidate.pid);
  if (read_text(path, name, sizeof name) > 0) name[strcspn(name, "\n")] = '\0';
  auto* entry = static_cast<plait_foreign_record*>(append(PLAIT_SECTION_FOREIGN));
  if (!entry) return;
  entry->pid = candidate.pid;
  entry->name = add_string(name);
  memcpy(entry->allowed, candidate.mask, sizeof entry->allowed);
  entry->cpu_share = share;
  publish(PLAIT_SECTION_FOREIGN);
}

}  // namespace

void record_foreign_processes(const uint64_t* allowed) {
  static Scan scan;  // by one thread, once
  scan.allowed = allowed;
  scan.machine_cpus = sysconf(_SC_NPROCESSORS_ONLN);
  scan.left = kScanned;
  scan.count = 0;
  const int64_t begin = monotonic_ns();
  each_number("/proc", &look_at, &scan);
  if (scan.count == 0) return;
  const timespec look{0, kLookNs};
  uncancelled::sleep(look);
  const auto elapsed_ns = static_cast<double>(monotonic_ns() - begin);
  for (int i = 0; i < scan.count; ++i) {
    const Candidate& candidate = scan.candidates[i];
    const uint64_t now_ns = cpu_ns_of(candidate.pid);
    if (now_ns < candidate.cpu_ns) continue;  // it ended
    const double share = static_cast<double>(now_ns - candidate.cpu_ns) / elapsed_ns;
    // A process that waited for a CPU will still use our core.
    char path[64], stat[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", candidate.pid);
    const bool runs = candidate.runs && read_text(path, stat, sizeof stat) > 0 && is_running(stat);
    if (share > kIdleShare || runs) keep(candidate, share < 1 ? share : 1);
  }
}

}  // namespace plait::preload
