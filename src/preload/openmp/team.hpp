// SPDX-License-Identifier: BSD-3-Clause
// Accounts for the busy and waiting time of OpenMP teams, however their runtime is observed.
//
// An entry of a team is one thread in one execution of a region. It keeps the time when the thread
// began the body, how long it has waited so far, and since when it is waiting now. A thread that
// has ended its body waits for the region's end. The starting thread, which sees that end, closes
// all entries. So a region costs each thread two clock readings and writes to the cache line of its
// own entry. Busy, idle and waiting time of a region add up to its elapsed time times its threads;
// waking up late counts as idle time.
//
// A thread that waits for a CPU makes its team wait for it. If threads of a region waited for a
// CPU, only the time that each would be idle beside the work of the others counts as idle. The rest
// is waiting for a CPU: the thread's own, or that of another. A team of one thread waits for
// nobody.
#pragma once

#include <stdint.h>

#include "preload/recorder.hpp"
#include "preload/wait_clock.hpp"

namespace plait::preload::openmp {

constexpr int kTeamThreads = 512;  // of one team; further threads are not measured
constexpr int kTeams = 64;         // active at once; further regions are not measured

struct alignas(64) Entry {
  uint64_t begin;          // of the body
  uint64_t idle;           // waited in the body so far
  uint64_t idle_since;     // waits since then; 0: does not wait
  uint64_t working_since;  // if it does not wait
  uint64_t waited;         // for a CPU while it worked
  uint64_t waited_idle;    // for a CPU in its idle time, before the body too
  Entry* outer;            // of the same thread, in the region around this one
  // Of all executions that were outermost for their thread.
  uint64_t busy_total, idle_total, wait_total;
  plait_omp_thread_record* record;  // where the totals go
  int32_t tid;
  int32_t index;
};

struct Runtime;

struct Team {
  void* reductions;  // libgomp reads it there: the first word of what GOMP_parallel_reductions gets
  void (*body)(void*);
  void* data;
  const Runtime* runtime;
  // Of the function of the runtime that was called to start the region: the caller's frame pointer,
  // and the return address above it. It exists until `generation` grows. 0: not known.
  uintptr_t start_frame;
  uint64_t begin;    // of the region
  uint64_t address;  // of its body or call
  plait_parallel_record* record;
  uint32_t region;  // 1 + index of `record` in its table; 0: none
  uint32_t starter_region;
  Entry* starter;  // what the starting thread was in before, and of which team
  Team* starter_team;
  uint32_t starter_generation;
  uint32_t user_region;  // of the starting thread, for counters
  int32_t taken;         // 1: in use
  int32_t threads;
  uint32_t generation;  // grows when a region ends
  uint64_t exported;    // when the totals were last written to the file
  Entry entries[kTeamThreads];
};

/// The region and the team of the calling thread.
struct ThreadState {
  Entry* entry;         // null: in no measured region
  Team* team;           // of `entry`
  uint32_t generation;  // of `team` when the thread joined it
  uint32_t region;      // as of `team` then
  int32_t threads;      // of `team`; its own field is set only when the starting thread begins
  int32_t tid;
  WaitClock wait;
  Team* own;  // for regions that this thread starts outside of others
  bool placed;
};

#define PLAIT_TLS __attribute__((tls_model("initial-exec"))) __thread
extern PLAIT_TLS ThreadState thread_state;

inline uint64_t span_ticks(uint64_t from, uint64_t to) {
  return to > from ? to - from : 0;
}

/// By the starting thread. Null: this region is not measured (inactive, or no room).
Team* region_begin(uint64_t address);

/// By each thread of the team, also the starting one (index 0).
void body_begin(Team* team, int index, int threads);

/// By each thread: from here on it waits for the end of the region.
void body_end();

/// By each thread after its last body_end(): its part in the region becomes an event of the trace.
void trace_work();

/// By the starting thread, when all others have called body_end().
void region_end(Team* team);

/// The innermost region that the calling thread is in, but did not start. Null: none.
inline const Team* joined_region() {
  const ThreadState& self = thread_state;
  const Entry* entry = self.entry;
  const Team* team = self.team;
  if (!entry || __atomic_load_n(&team->generation, __ATOMIC_ACQUIRE) != self.generation)
    return nullptr;
  while (entry && entry->index == 0) {
    entry = team->starter;
    team = team->starter_team;
  }
  return entry ? team : nullptr;
}

/// The same for the thread that started a region.
inline const Team* joined_by_starter(const Team& of) {
  const Entry* entry = of.starter;
  const Team* team = of.starter_team;
  while (entry && entry->index == 0) {
    entry = team->starter;
    team = team->starter_team;
  }
  return entry ? team : nullptr;
}

/// Writes the totals of all teams to the file.
void export_totals();

/// What the calling thread waited for a CPU in its time since `since`.
inline uint64_t wait_since(uint64_t since, uint64_t now) {
  WaitClock& clock = thread_state.wait;
  if (!is_due(clock, now)) return 0;
  const uint64_t waited = read_wait(clock, now), most = span_ticks(since, now);
  return waited < most ? waited : most;
}

/// The calling thread begins to wait. False when it does so already, or is in no region.
inline bool idle_begin() {
  Entry* entry = thread_state.entry;
  if (!entry || entry->idle_since) return false;
  entry->idle_since = now_ticks();
  entry->waited += wait_since(entry->working_since, entry->idle_since);
  return true;
}

/// The calling thread works again. False when it did not wait.
inline bool idle_end() {
  Entry* entry = thread_state.entry;
  if (!entry || !entry->idle_since) return false;
  entry->working_since = now_ticks();
  entry->idle += span_ticks(entry->idle_since, entry->working_since);
  entry->waited_idle += wait_since(entry->idle_since, entry->working_since);
  entry->idle_since = 0;
  return true;
}

/// Records through which interface OpenMP is observed, and the runtime's name.
void set_view(plait_openmp_view view, const char* runtime_name);

}  // namespace plait::preload::openmp
