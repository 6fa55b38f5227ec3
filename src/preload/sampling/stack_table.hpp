// SPDX-License-Identifier: BSD-3-Clause
// The stacks that one thread at a time was sampled in, and their counts.
//
// Only the thread that owns the table writes to it, in its signal handler. If that is left by a
// jump, at most an entry that nothing refers to remains. Nothing here locks or allocates; room
// comes from the file.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "preload/calls/python.hpp"
#include "preload/sampling/cfi.hpp"
#include "trace/sample_format.h"

namespace plait::preload::sampling {

constexpr uint32_t kMostFrames = 512;  // kept of a stack

/// The part of a table that is not in the file.
struct StackTable {
  plait_sample_table* file;
  uint32_t parts[PLAIT_SAMPLE_SECTIONS];  // that each section has
  uint32_t node_heads[4096], count_heads[1024], line_heads[256];
  uintptr_t module_seen[2];  // bounds of the module of the latest new node
  uint64_t frames[kMostFrames];
  char text[kPythonTextBytes];
  CfiScratch scratch;
  QuickRow quick[kQuickRows];
};

/// Gives a zeroed table its place in the file. False: no room.
bool open_table(StackTable* table);

/// The part of a section in which the entry `*index` is; sets the index within it.
char* sample_part(const StackTable& table, plait_sample_section section, uint64_t* index);

/// The entry of a section; the index must be below its count.
template <class Entry>
Entry* sample_entry(const StackTable& table, plait_sample_section section, uint32_t index) {
  uint64_t at = index;
  return reinterpret_cast<Entry*>(sample_part(table, section, &at)) + at;
}

/// A new entry, and its index. publish_sample() makes it visible. Null: no room.
void* append_sample(StackTable* table, plait_sample_section section, uint64_t entries,
                    uint32_t* index);
void publish_sample(StackTable* table, plait_sample_section section, uint32_t end);

/// The child of a node with this address; made if it is new. 0: no room.
uint32_t child_node(StackTable* table, uint32_t parent, uint64_t pc);

/// The entry of a line of Python, which is named if it is new; 0: it has no name, or no room.
uint32_t line_entry(StackTable* table, const PythonLine& line);

/// The counter of samples, and its index; null: no room.
plait_sample_count* counter(StackTable* table, uint32_t node, uint32_t thread, uint32_t region,
                            uint32_t state, uint32_t* index);

/// Adds the time of samples to those of their counter, unless there is no room for times.
void add_time(StackTable* table, uint64_t ticks, uint32_t count, uint32_t samples);

}  // namespace plait::preload::sampling
