// SPDX-License-Identifier: BSD-3-Clause
// Waits of a thread within a region of libgomp: for barriers, ends of loops, locks, ends of tasks.
//
// A task that runs while its thread waits is work: run_task (gomp_tasks.cpp) interrupts the wait.
#include "preload/openmp/gomp.hpp"

namespace plait::preload::openmp {

namespace {

// Calls `function` of the runtime and counts its time as waiting. Without a runtime, it returns
// `fallback`, the result for one thread.
template <class Result, class... Arguments>
Result wait_for(int function, const void* caller, Result fallback, Arguments... arguments) {
  const Runtime& runtime = runtime_of(caller);
  auto* real = reinterpret_cast<Result (*)(Arguments...)>(runtime.functions[function]);
  if (!real) return fallback;
  const bool waits = runtime.measured && idle_begin();
  const Result result = real(arguments...);
  if (waits) idle_end();
  return result;
}

template <class... Arguments>
void wait_in(int function, const void* caller, Arguments... arguments) {
  const Runtime& runtime = runtime_of(caller);
  auto* real = reinterpret_cast<void (*)(Arguments...)>(runtime.functions[function]);
  if (!real) return;
  const bool waits = runtime.measured && idle_begin();
  real(arguments...);
  if (waits) idle_end();
}

}  // namespace

extern "C" {

#define PLAIT_WAIT(name)               \
  PLAIT_EXPORT void name(void) {       \
    wait_in<>(k_##name, PLAIT_CALLER); \
  }
#define PLAIT_WAIT_FOR(name)                      \
  PLAIT_EXPORT void name(void* what) {            \
    wait_in<void*>(k_##name, PLAIT_CALLER, what); \
  }
#define PLAIT_WAIT_CANCELLABLE(name)                      \
  PLAIT_EXPORT bool name(void) {                          \
    return wait_for<bool>(k_##name, PLAIT_CALLER, false); \
  }

PLAIT_WAIT(GOMP_barrier)
PLAIT_WAIT_CANCELLABLE(GOMP_barrier_cancel)
PLAIT_WAIT(GOMP_loop_end)
PLAIT_WAIT_CANCELLABLE(GOMP_loop_end_cancel)
PLAIT_WAIT(GOMP_sections_end)
PLAIT_WAIT_CANCELLABLE(GOMP_sections_end_cancel)
PLAIT_WAIT_FOR(GOMP_single_copy_end)
PLAIT_WAIT(GOMP_critical_start)
PLAIT_WAIT_FOR(GOMP_critical_name_start)
PLAIT_WAIT(GOMP_atomic_start)
PLAIT_WAIT(GOMP_ordered_start)
PLAIT_WAIT(GOMP_taskwait)
PLAIT_WAIT_FOR(GOMP_taskwait_depend)
PLAIT_WAIT(GOMP_taskgroup_end)
PLAIT_WAIT_FOR(omp_set_lock)
PLAIT_WAIT_FOR(omp_set_nest_lock)
PLAIT_WAIT_FOR(omp_set_lock_)
PLAIT_WAIT_FOR(omp_set_nest_lock_)

PLAIT_EXPORT void* GOMP_single_copy_start(void) {
  return wait_for<void*>(k_GOMP_single_copy_start, PLAIT_CALLER, nullptr);
}

PLAIT_EXPORT void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  wait_in<bool>(k_GOMP_workshare_task_reduction_unregister, PLAIT_CALLER, cancelled);
}

}  // extern "C"

}  // namespace plait::preload::openmp
