// SPDX-License-Identifier: BSD-3-Clause
// The check file, as the observed process writes it: mapping, and appending to its sections.
//
// Nothing here locks: callers hold check_lock, which guards all state of preload/check.
#pragma once

#include <stdint.h>

#include "preload/recorder.hpp"
#include "trace/check_format.h"

namespace plait::preload {

/// The check file; null while nothing is checked.
extern plait_check_header* check_file;
extern int check_lock;

/// Creates and maps the file. False: failed, with a message.
bool create_check_file();

/// Truncates the file to its used part, at exit.
void trim_check_file();

/// `count` zeroed entries at a section's end. Fill them in, then publish them. Null: the section is
/// full; later calls cannot be compared.
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
