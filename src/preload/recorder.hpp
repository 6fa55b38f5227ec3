// SPDX-License-Identifier: BSD-3-Clause
// The record file from within the observed process: mapping, clock, strings, append-only tables.
//
// Part of the preload objects: no exceptions, no libstdc++, no libmpi. Nothing here allocates from
// the heap; everything lives in the mapped file. Only open() and thread_slab() make system calls.
#pragma once

#include <stdint.h>

#include "trace/record_format.h"

namespace plait::preload {

/// The record file of this process; null while Plait is inactive (no PLAIT_RECORDS, or in trouble).
extern plait_record_header* record;

/// Ticks of the record's clock. Never fails; about 10 ns.
inline uint64_t now_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  extern uint64_t now_monotonic_ns();
  return now_monotonic_ns();
#endif
}

/// Creates and maps the record file; once, at load. False: Plait stays inactive for this process.
bool open_record();

/// Adds a string (copied); equal strings share one offset. Takes a lock. 0 when there is no room.
uint32_t add_string(const char* text);

/// Appends one zeroed entry to a fixed table and returns it; publish() makes it visible to readers.
/// Null when the table is full (counted as lost). Takes no lock for tables with one writer.
void* append(plait_section section);
void publish(plait_section section);

/// Says `text` once on stderr behind "plait: " and keeps it in NOTES.
void note(const char* text);

/// Takes a clock sample.
void sample_clock(plait_clock_sample* into);

/// Stops recording for good (trouble): the program runs on as if Plait were not there.
void step_aside(const char* why);

}  // namespace plait::preload
