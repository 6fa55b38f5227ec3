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

/// The address of each section's first entry, which never changes.
extern char* check_sections[PLAIT_CHECK_SECTIONS];

/// `count` zeroed entries at a section's end. Fill them in, then publish them. Null: the file may
/// not grow any more; later calls cannot be compared.
void* check_append(plait_check_section section, uint64_t count = 1);
void check_publish(plait_check_section section, uint64_t count = 1);

/// Keeps a text (copied) in NAMES; equal texts share one offset. 0 when there is no room.
uint32_t keep_check_name(const char* text);

template <class Entry>
Entry* check_entries(plait_check_section section) {
  return reinterpret_cast<Entry*>(check_sections[section]);
}

inline uint32_t check_count(plait_check_section section) {
  return static_cast<uint32_t>(check_file->sections[section].count);
}

inline plait_check_op& check_op(uint32_t index) {
  return check_entries<plait_check_op>(PLAIT_CHECK_OPS)[index];
}

}  // namespace plait::preload
