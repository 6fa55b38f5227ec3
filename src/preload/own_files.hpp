// SPDX-License-Identifier: BSD-3-Clause
// How this process opens its files: never one that another user made.
//
// Part of the preload objects and of the mapper: no C++ run-time library.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/uncancelled.hpp"

namespace plait::preload {

/// True if this user owns the open folder, and others cannot put files or links into it.
inline bool is_private(int folder) {
  struct stat status;
  return folder >= 0 && !fstat(folder, &status) && status.st_uid == geteuid() &&
         !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/// open(2) for a file in such a folder: does not follow a link, and opens nothing in a spool that
/// another user has put in the place of the one that was checked.
inline int open_own(const char* path, bool spool, int flags) {
  flags |= O_NOFOLLOW | O_CLOEXEC;
  if (!spool) return uncancelled::open(path, flags, 0644);
  const char* slash = strrchr(path, '/');
  char name[PATH_MAX];
  const size_t length = slash ? static_cast<size_t>(slash - path) : sizeof name;
  if (length >= sizeof name) return errno = ENAMETOOLONG, -1;
  memcpy(name, path, length);
  name[length] = '\0';
  const int folder = uncancelled::open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  errno = EPERM;
  const int file = is_private(folder) ? uncancelled::openat(folder, slash + 1, flags, 0600) : -1;
  const int error = errno;
  uncancelled::close(folder);
  errno = error;
  return file;
}

}  // namespace plait::preload
