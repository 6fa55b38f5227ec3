// SPDX-License-Identifier: BSD-3-Clause
// Reads cpu.max (version 2) and cpu.cfs_quota_us (version 1) of this process' groups.
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

// The smallest quota from `group` up to `root`.
double smallest_quota(const char* root, const char* group, bool version_2) {
  char folder[PATH_MAX];
  const int length = snprintf(folder, sizeof folder, "%s%s", root, group);
  if (length < 0 || static_cast<size_t>(length) >= sizeof folder) return 0;
  double smallest = 0;
  const size_t shortest = strlen(root);
  for (;;) {
    const double quota = quota_of(folder, version_2);
    if (quota > 0 && (smallest == 0 || quota < smallest)) smallest = quota;
    char* slash = strrchr(folder, '/');
    if (!slash || static_cast<size_t>(slash - folder) < shortest) return smallest;
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

}  // namespace

double cgroup_quota_cores(const char* groups, const char* root) {
  char list[8192], version_1[PATH_MAX];
  if (read_text(groups, list, sizeof list) <= 0) return 0;
  snprintf(version_1, sizeof version_1, "%s/cpu", root);
  double smallest = 0;
  char* rest = nullptr;
  for (char* line = strtok_r(list, "\n", &rest); line; line = strtok_r(nullptr, "\n", &rest)) {
    // hierarchy:controllers:path; version 2 has no controllers
    char* controllers = strchr(line, ':');
    char* group = controllers ? strchr(controllers + 1, ':') : nullptr;
    if (!group) continue;
    *group++ = '\0';
    ++controllers;
    double quota = 0;
    if (!*controllers) {
      quota = smallest_quota(root, group, true);
    } else if (names_cpu(controllers)) {
      quota = smallest_quota(version_1, group, false);
    }
    if (quota > 0 && (smallest == 0 || quota < smallest)) smallest = quota;
  }
  return smallest;
}

}  // namespace plait::preload
