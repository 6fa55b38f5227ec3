// SPDX-License-Identifier: BSD-3-Clause
// The folder to which this process writes its files: that of the run, or one on its node.
//
// Part of the preload objects and of the mapper: no C++ run-time library.
#pragma once

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "preload/own_files.hpp"

namespace plait::preload {

/// Where this process writes its files.
struct RecordFolder {
  const char* path;  ///< null: nowhere, it is not recorded
  bool spool;        ///< other users may write to the folder around this one
  bool away;         ///< nobody but the ranks themselves brings the files to the run directory
  bool has_run;      ///< the run directory is on this node
};

/// A variable with a value; null: none.
inline const char* setting(const char* name) {
  const char* value = getenv(name);
  return value && *value ? value : nullptr;
}

/// True if the run directory is on this node: its `.id` has the number of the run. A folder of the
/// same path may exist on a node that does not share it.
inline bool has_run_directory(const char* records, const char* id) {
  char path[PATH_MAX], found[64] = "";
  const int length = snprintf(path, sizeof path, "%s/../.id", records);
  if (length < 0 || static_cast<size_t>(length) >= sizeof path) return false;
  const int file = uncancelled::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = uncancelled::read(file, found, sizeof found - 1);
  uncancelled::close(file);
  return got > 0 && !strcmp(found, id);
}

/// Makes the folder that the ranks of a run share on a node, and in it the mark by which `plait
/// collect` finds it. Only this user may enter it. Null: that is not possible.
inline const char* make_node_spool(const char* records, const char* id) {
  static char path[PATH_MAX];
  const char* base = setting("PLAIT_NODE_SPOOL");
  if (!base) base = setting("TMPDIR");
  if (!base) base = "/tmp";
  mkdir(base, 0700);
  const int length = snprintf(path, sizeof path, "%s/plait-%s", base, id);
  if (*base != '/' || length < 0 || static_cast<size_t>(length) >= sizeof path) return nullptr;
  if (mkdir(path, 0700) && errno != EEXIST) return nullptr;
  const int folder = uncancelled::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const bool usable = is_private(folder);
  if (usable) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int mark = uncancelled::openat(folder, ".run", kFlags, 0600);
    const char* end = strrchr(records, '/');
    if (mark >= 0 && end) uncancelled::write(mark, records, static_cast<size_t>(end - records));
    if (mark >= 0) uncancelled::close(mark);
  }
  if (folder >= 0) uncancelled::close(folder);
  return usable ? path : nullptr;
}

/// The spool of `plait run` if this node has it and it belongs to this user alone; else the run's
/// records if this node has them (with --spool, only if a folder of another user is in the place of
/// the spool); else a folder of this node.
inline RecordFolder record_folder() {
  const char* records = setting("PLAIT_RECORDS");
  bool replaced = false;  // another user's folder is in the place of the spool of plait run
  if (const char* spool = setting("PLAIT_RECORD_SPOOL")) {
    const int folder = uncancelled::open(spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const bool usable = is_private(folder);
    replaced = folder >= 0 || errno != ENOENT;
    if (folder >= 0) uncancelled::close(folder);
    if (usable) return {spool, true, false, true};
  }
  const char* id = setting("PLAIT_RUN_ID");
  if (!records || !id) return {records, false, false, true};
  const bool has_run = has_run_directory(records, id);
  if (!has_run || (setting("PLAIT_NODE_SPOOL") && !replaced))
    if (const char* own = make_node_spool(records, id)) return {own, true, true, has_run};
  return {records, false, false, has_run};
}

}  // namespace plait::preload
