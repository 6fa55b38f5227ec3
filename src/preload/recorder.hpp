// SPDX-License-Identifier: BSD-3-Clause
// The record file, as the observed process writes it: mapping, clock, strings, append-only tables.
//
// Part of the preload objects: no exceptions, no libstdc++, no libmpi. Nothing here allocates from
// the heap; everything is in the mapped file. Only open(), thread_slab() and tables that grow make
// system calls.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "trace/record_format.h"
#include "transport/clock.hpp"

namespace plait::preload {

/// The record file of this process; null while Plait is inactive (no PLAIT_RECORDS, or an error).
extern plait_record_header* record;

/// The program asked not to be recorded now (MPI_Pcontrol): calls are not counted; communicators,
/// requests and handles are still tracked.
extern bool paused;

/// The calls are also passed to plait check (preload/check).
extern bool checking;

/// Must a call do more than count, because it is checked or traced? Without either, this test is
/// all that they cost. Set it with either of them.
extern bool watching;
inline bool watched() {
  return __builtin_expect(watching, 0);
}

/// Pauses or resumes recording; the record keeps how long it was paused.
void pause_recording(bool pause);

/// Restarts the count of paused time at the end of Init, where the program's time begins.
void restart_pause();

/// Ticks of the record's clock. Never fails; about 10 ns.
inline uint64_t now_ticks() {
  return transport::now_ticks();
}

/// Creates and maps the record file, once: at load in a program that needs an MPI library, else at
/// its first MPI call. False: that failed, now or before, and Plait stays inactive for this
/// process. Takes a lock, makes system calls.
bool open_record();

/// The path of a file next to the record, with another suffix in place of ".rec". False: there is
/// no record, or the path does not fit.
bool record_path(const char* suffix, char* into, size_t bytes);

/// Is `word` in the comma list PLAIT_OPTIONS? E.g. "placement".
bool has_option(const char* word);

/// Was a trace requested, even if it could not be kept?
bool wants_trace();

/// Takes `bytes` zeroed bytes from the end of the file, from the begin of a page on, and returns
/// their offset. Null when there is no room. Takes a lock, may make system calls.
void* carve(uint64_t bytes, uint64_t* offset);

/// Truncates the file to its used part, at exit. Nothing can be appended afterwards.
void trim_record();

/// `bytes` zeroed bytes that are not part of the file and never freed; null: no memory.
void* map_pages(uint64_t bytes);

/// A number for the running kernel, which is the same in all its namespaces; 0: unknown.
uint64_t boot_number();

/// Adds a string (copied); equal strings share one offset. Takes a lock. 0 when there is no room.
uint32_t add_string(const char* text);

/// Appends one zeroed entry to a table and returns it; publish() makes it visible to readers. Null
/// when there is no room (counted as lost). Takes no lock for tables with one writer.
void* append(plait_section section);
void publish(plait_section section);

/// Appends `entries` entries side by side and returns the first and its index. publish() them with
/// the index behind the last one.
void* append_run(plait_section section, uint64_t entries, uint32_t* index);
void publish(plait_section section, uint32_t end);

/// Counts an entry for which there was no room.
void lose_entry(plait_section section);

/// An entry of a table of the record, which must have been appended. Entries never move.
template <class Entry>
inline Entry* entry_at(plait_section section, uint32_t index) {
  const plait_section_header& table = record->sections[section];
  const plait_part part = plait_part_of(table.capacity, index);
  const uint64_t offset = part.number ? table.more[part.number - 1] : table.offset;
  return reinterpret_cast<Entry*>(reinterpret_cast<char*>(record) + offset +
                                  (index - part.first) * table.entry_bytes);
}

/// Prints "plait: " and `text` on stderr, once for each text, and keeps it in NOTES.
void note(const char* text);

/// Reads the clocks.
void sample_clock(plait_clock_sample* into);

/// Stops recording after an error: the program runs on as if Plait were not there. The file, if
/// there is one, stays mapped, so that other threads may still write to it.
void step_aside(const char* why);

/// A lock for slow paths; recursive use is an error.
class SpinLock {
public:
  explicit SpinLock(int* word) : word_(word) {
    while (__atomic_exchange_n(word_, 1, __ATOMIC_ACQUIRE))
      while (__atomic_load_n(word_, __ATOMIC_RELAXED)) pause();
  }
  ~SpinLock() { __atomic_store_n(word_, 0, __ATOMIC_RELEASE); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

private:
  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  int* word_;
};

}  // namespace plait::preload
