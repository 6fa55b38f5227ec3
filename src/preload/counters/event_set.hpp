// SPDX-License-Identifier: BSD-3-Clause
// The events of one thread: opens them in groups, reads and closes them.
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>

#include "trace/record_format.h"

namespace plait::preload::counters {

/// An event that is to be counted, and what came of it.
struct Event {
  uint32_t type;
  uint64_t config, config1, config2;
  bool user_only;  ///< the kernel's part may not be counted
};

/// The open events of a thread. All zero: none.
struct EventSet {
  int files[PLAIT_MOST_COUNTERS];     ///< plus 1; 0: not open
  uint64_t ids[PLAIT_MOST_COUNTERS];  ///< of the events: the program may have closed their files
  int leaders[PLAIT_MOST_COUNTERS];
  perf_event_mmap_page* pages[PLAIT_MOST_COUNTERS];  ///< null: it takes a system call to read
};

/// Opens the events of the calling thread. `errors` gets 0 or an errno for each. An event that the
/// user may count only without the kernel becomes user_only.
void open_events(Event* events, int count, EventSet* set, int* errors);

/// Maps the events' pages. True: all that are open can be read without a system call.
bool map_pages_of(EventSet* set, int count);

/// Reads all events that are open; the values of others are 0. With `from_pages`, only the thread
/// that they count may do so.
void read_events(const EventSet& set, int count, bool from_pages, plait_counter_value* values);

void close_events(EventSet* set, int count);

/// Reads a counter through its page as the kernel's header describes it.
/// @param rdpmc  reads the hardware counter of a number
/// @param ticks  the time-stamp counter
/// @return false: the page permits no such reading
bool read_page(const volatile perf_event_mmap_page* page, uint64_t (*rdpmc)(uint32_t),
               uint64_t (*ticks)(), plait_counter_value* value);

}  // namespace plait::preload::counters
