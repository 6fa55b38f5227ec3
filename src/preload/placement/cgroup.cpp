// SPDX-License-Identifier: BSD-3-Clause
// Reads cpu.max (version 2) or cpu.cfs_quota_us (version 1), and cpu.stat, of this process' groups.
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

// Both for all groups.
struct Limits {
  double quota = 0;           // the smallest
  uint64_t throttled_ns = 0;  // the longest
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
    char* slash = strrchr(folder, '/');
    if (!slash || static_cast<size_t>(slash - folder) < shortest) return;
    *slash = '\0';
  }
}

bool names_cpu(const char* controllers) {
  for (const char* at = controllers; at; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    if (!strncmp(at, "cpu", 3) && (at[3] == ',' || !at[3])) return true;
  }
  return false;
}

Limits limits_of(const char* groups, const char* root) {
  Limits limits;
  char list[8192], version_1[PATH_MAX];
  if (read_text(groups, list, sizeof list) <= 0) return limits;
  snprintf(version_1, sizeof version_1, "%s/cpu", root);
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
    } else if (names_cpu(controllers)) {
      add_limits(version_1, group, false, limits);
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

}  // namespace plait::preload
