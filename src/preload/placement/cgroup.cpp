// SPDX-License-Identifier: BSD-3-Clause
// Reads quotas, times of stops and memory limits of this process' groups, versions 1 and 2.
#include "preload/placement/cgroup.hpp"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/placement/proc_files.hpp"

namespace plait::preload {

namespace {

// The quota of one group, in cores; 0: none.
double quota_of(const char* folder, bool version_2) {
  char path[PATH_MAX + 32], text[128];
  if (version_2) {
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    char* end = nullptr;
    if (read_text(path, text, sizeof text) <= 0) return 0;
    const double quota = strtod(text, &end);  // "max" is not a number
    const double period = end == text ? 0 : strtod(end, nullptr);
    return quota > 0 && period > 0 ? quota / period : 0;
  }
  snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
  const double quota = read_text(path, text, sizeof text) > 0 ? strtod(text, nullptr) : 0;
  snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
  const double period = read_text(path, text, sizeof text) > 0 ? strtod(text, nullptr) : 0;
  return quota > 0 && period > 0 ? quota / period : 0;
}

// The time for which a group was stopped, ns.
uint64_t throttled_of(const char* folder, bool version_2) {
  char path[PATH_MAX + 32], text[2048];
  snprintf(path, sizeof path, "%s/cpu.stat", folder);
  if (read_text(path, text, sizeof text) <= 0) return 0;
  const char* label = version_2 ? "throttled_usec " : "throttled_time ";
  const char* at = strstr(text, label);
  return at ? strtoull(at + strlen(label), nullptr, 10) * (version_2 ? 1000 : 1) : 0;
}

// The memory that a group may use, in bytes; 0: no limit.
uint64_t memory_of(const char* folder, bool version_2) {
  constexpr uint64_t kNone = 1ULL << 60;  // version 1 has a large number instead
  char path[PATH_MAX + 32], text[64];
  snprintf(path, sizeof path, "%s/%s", folder, version_2 ? "memory.max" : "memory.limit_in_bytes");
  if (read_text(path, text, sizeof text) <= 0) return 0;
  const uint64_t bytes = strtoull(text, nullptr, 10);  // "max" is not a number
  return bytes < kNone ? bytes : 0;
}

// For all groups.
struct Limits {
  double quota = 0;           // the smallest
  uint64_t throttled_ns = 0;  // the longest
  uint64_t memory = 0;        // the smallest
};

// Of the groups from `group` up to `root`.
void add_limits(const char* root, const char* group, bool version_2, Limits& limits) {
  char folder[PATH_MAX];
  const int length = snprintf(folder, sizeof folder, "%s%s", root, group);
  if (length < 0 || static_cast<size_t>(length) >= sizeof folder) return;
  const size_t shortest = strlen(root);
  for (;;) {
    const double quota = quota_of(folder, version_2);
    if (quota > 0 && (limits.quota == 0 || quota < limits.quota)) limits.quota = quota;
    const uint64_t throttled_ns = throttled_of(folder, version_2);
    if (throttled_ns > limits.throttled_ns) limits.throttled_ns = throttled_ns;
    const uint64_t memory = memory_of(folder, version_2);
    if (memory && (!limits.memory || memory < limits.memory)) limits.memory = memory;
    char* slash = strrchr(folder, '/');
    if (!slash || static_cast<size_t>(slash - folder) < shortest) return;
    *slash = '\0';
  }
}

bool names(const char* controllers, const char* controller) {
  const size_t length = strlen(controller);
  for (const char* at = controllers; at; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (!strncmp(at, controller, length) && (at[length] == ',' || !at[length])) return true;
  }
  return false;
}

Limits limits_of(const char* groups, const char* root) {
  Limits limits;
  char list[8192], cpu[PATH_MAX], memory[PATH_MAX];
  if (read_text(groups, list, sizeof list) <= 0) return limits;
  snprintf(cpu, sizeof cpu, "%s/cpu", root);
  snprintf(memory, sizeof memory, "%s/memory", root);
  char* rest = nullptr;
  for (char* line = strtok_r(list, "\n", &rest); line; line = strtok_r(nullptr, "\n", &rest)) {
    // hierarchy:controllers:path; version 2 has no controllers
    char* controllers = strchr(line, ':');
    char* group = controllers ? strchr(controllers + 1, ':') : nullptr;
    if (!group) continue;
    *group++ = '\0';
    ++controllers;
    if (!*controllers) {
      add_limits(root, group, true, limits);
    } else if (names(controllers, "cpu")) {
      add_limits(cpu, group, false, limits);
    } else if (names(controllers, "memory")) {
      add_limits(memory, group, false, limits);
    }
  }
  return limits;
}

}  // namespace

double cgroup_quota_cores(const char* groups, const char* root) {
  return limits_of(groups, root).quota;
}

uint64_t cgroup_throttled_ns(const char* groups, const char* root) {
  return limits_of(groups, root).throttled_ns;
}

uint64_t cgroup_memory_limit(const char* groups, const char* root) {
  return limits_of(groups, root).memory;
}

}  // namespace plait::preload
