// SPDX-License-Identifier: BSD-3-Clause
// LLVM's OpenMP runtimes (libomp, libiomp5 and compatible ones), through OMPT: this object is the
// tool.
//
// The runtime reports the end of a worker's wait at the end of a region only with the next region.
// So the starting thread's parallel_end closes all entries (team.hpp). A report that comes later is
// recognized by the team's generation.
#include "preload/openmp/ompt.hpp"

#include <stdlib.h>
#include <string.h>

#include "preload/openmp/gomp.hpp"
#include "preload/openmp/ompt_types.h"

namespace plait::preload::openmp {

bool ompt_active;

namespace {

constexpr uint64_t kWaiting = 1;  // a task's data: it waits

char runtime_name[128];

// The thread's entry, if the team that it belongs to is still in the same region.
bool entry_is_current() {
  const ThreadState& self = thread_state;
  return self.entry && __atomic_load_n(&self.team->generation, __ATOMIC_ACQUIRE) == self.generation;
}

// The frame of the runtime's function that returns to `call`; 0: it is not as in Team.
uintptr_t frame_of(const ompt_frame_t* task, const void* call) {
  if (!task || !task->enter_frame.ptr) return 0;
  const auto* frame = static_cast<void* const*>(task->enter_frame.ptr);
  return call && frame[1] == call ? reinterpret_cast<uintptr_t>(frame) : 0;
}

void on_parallel_begin(ompt_data_t*, const ompt_frame_t* task, ompt_data_t* parallel, unsigned,
                       int flags, const void* call) {
  parallel->ptr = nullptr;
  if (!record || (flags & ompt_parallel_league)) return;
  if (record->openmp_view == PLAIT_OPENMP_NOT_SEEN || record->openmp_view == PLAIT_OPENMP_BLIND) {
    set_view(PLAIT_OPENMP_OMPT, runtime_name);
  }
  // An address within the call, as for MPI call sites, gives the line of the directive.
  Team* team = region_begin(reinterpret_cast<uint64_t>(call) - (call ? 1 : 0));
  if (team) team->start_frame = frame_of(task, call);
  parallel->ptr = team;
}

void on_parallel_end(ompt_data_t* parallel, ompt_data_t*, int, const void*) {
  if (parallel && parallel->ptr) region_end(static_cast<Team*>(parallel->ptr));
}

void on_implicit_task(int endpoint, ompt_data_t* parallel, ompt_data_t* task, unsigned threads,
                      unsigned index, int flags) {
  if (!(flags & ompt_task_implicit)) return;
  if (endpoint == ompt_scope_begin) {
    if (task) task->value = 0;
    if (parallel && parallel->ptr) {
      body_begin(static_cast<Team*>(parallel->ptr), static_cast<int>(index),
                 static_cast<int>(threads));
    } else {
      thread_state.entry = nullptr;
    }
  } else {
    trace_work();
    if (index != 0) thread_state.entry = nullptr;  // the starting thread's: by parallel_end
  }
}

void on_wait(int kind, int endpoint, ompt_data_t*, ompt_data_t* task, const void*) {
  if (kind == ompt_sync_region_reduction || !entry_is_current()) return;
  if (endpoint == ompt_scope_begin) {
    if (task) task->value |= kWaiting;
    body_end();  // it may be the last: the runtime does not say
  } else {
    if (task) task->value &= ~kWaiting;
    idle_end();
  }
}

void on_task_schedule(ompt_data_t*, int, ompt_data_t* next) {
  if (!next || !entry_is_current()) return;
  if (next->value & kWaiting) {
    idle_begin();
  } else {
    idle_end();
  }
}

void on_mutex_acquire(int kind, unsigned, unsigned, uint64_t, const void*) {
  if (kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock) return;
  if (entry_is_current()) idle_begin();
}

void on_mutex_acquired(int kind, uint64_t, const void*) {
  if (kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock) return;
  if (entry_is_current()) idle_end();
}

void on_nest_lock(int endpoint, uint64_t, const void*) {
  if (endpoint == ompt_scope_begin && entry_is_current()) idle_end();
}

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  const auto set = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
  bool complete = set != nullptr;
  const auto observe = [&](int event, auto* callback, bool needed) {
    const int result = set ? set(event, reinterpret_cast<ompt_callback_t>(callback)) : 0;
    if (needed && result != ompt_set_always) complete = false;
  };
  observe(ompt_callback_parallel_begin, &on_parallel_begin, true);
  observe(ompt_callback_parallel_end, &on_parallel_end, true);
  observe(ompt_callback_implicit_task, &on_implicit_task, true);
  observe(ompt_callback_sync_region_wait, &on_wait, true);
  observe(ompt_callback_task_schedule, &on_task_schedule, false);
  observe(ompt_callback_mutex_acquire, &on_mutex_acquire, false);
  observe(ompt_callback_mutex_acquired, &on_mutex_acquired, false);
  observe(ompt_callback_nest_lock, &on_nest_lock, false);
  if (!complete) {
    note(
        "the OMPT interface of this OpenMP runtime does not report parallel regions or waits, so "
        "OpenMP is not measured");
    return 0;
  }
  ompt_active = true;
  set_view(PLAIT_OPENMP_OMPT, runtime_name);
  return 1;
}

void finalize(ompt_data_t*) {
  ompt_active = false;
  export_totals();
}

ompt_start_tool_result_t tool{&initialize, &finalize, {0}};

}  // namespace

const char* ompt_runtime_name() {
  return runtime_name;
}

extern "C" PLAIT_EXPORT ompt_start_tool_result_t* ompt_start_tool(unsigned, const char* version) {
  // A tool that the user names has precedence; a process that is not recorded needs none.
  const char* others = getenv("OMP_TOOL_LIBRARIES");
  const char* folder = getenv("PLAIT_RECORDS");
  if (!folder || !*folder || (others && *others)) return nullptr;
  if (version) strncpy(runtime_name, version, sizeof runtime_name - 1);
  return &tool;
}

}  // namespace plait::preload::openmp
