// SPDX-License-Identifier: BSD-3-Clause
// The check file from within the observed process: mapping, and appending to its sections.
//
// Nothing here locks: callers hold check_lock, which guards all that preload/check knows.
#pragma once

#include <stdint.h>

#include "check/check_format.h"
#include "preload/recorder.hpp"

namespace plait::preload {

/// The check file; null while nothing is checked.
extern plait_check_header* check_file;
extern int check_lock;

/// Creates and maps the file. False: said why.
bool create_check_file();

/// Cuts the file to what is used of it, at exit.
void trim_check_file();

/// `count` zeroed entries at a section's end, to be filled in and then published; null when there
/// is no room: what follows cannot be compared any more.
void* check_append(plait_check_section section, uint64_t count = 1);
void check_publish(plait_check_section section, uint64_t count = 1);

template <class Entry>
Entry* check_entries(plait_check_section section) {
  return reinterpret_cast<Entry*>(reinterpret_cast<char*>(check_file) +
                                  check_file->sections[section].offset);
}

inline uint32_t check_count(plait_check_section section) {
  return static_cast<uint32_t>(check_file->sections[section].count);
}

inline plait_check_op& check_op(uint32_t index) {
  return check_entries<plait_check_op>(PLAIT_CHECK_OPS)[index];
}

}  // namespace plait::preload
