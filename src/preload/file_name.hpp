// SPDX-License-Identifier: BSD-3-Clause
// Names of the files that a process writes: unique among all processes that share a folder.
//
// Part of the preload objects and of the mapper: no C++ run-time library.
#pragma once

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

namespace plait::preload {

/// A number that is very unlikely to be given twice.
inline uint32_t random_number() {
  uint32_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint32_t>(now.tv_nsec) * 2654435769u ^ static_cast<uint32_t>(getpid());
}

/// A new absolute path FOLDER/HOST-PID-ID and `suffix`. Host and pid alone do not identify a
/// process: containers have pids of their own, and nodes may have equal names. So create the file
/// with O_EXCL, and try again under another name if there is one.
/// @return false when it does not fit
inline bool new_file_name(const char* folder, const char* suffix, char* into, size_t bytes) {
  char host[256] = "host", here[PATH_MAX] = "";
  gethostname(host, sizeof host - 1);
  for (char* slash = host; (slash = strchr(slash, '/'));) *slash = '_';
  if (folder[0] != '/' && !getcwd(here, sizeof here)) return false;
  const int length = snprintf(into, bytes, "%s%s%s/%s-%d-%08x%s", here, *here ? "/" : "", folder,
                              host, static_cast<int>(getpid()), random_number(), suffix);
  return length > 0 && static_cast<size_t>(length) < bytes;
}

constexpr int kMostNames = 100;  // to try

}  // namespace plait::preload
