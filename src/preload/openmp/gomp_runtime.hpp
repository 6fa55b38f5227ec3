// SPDX-License-Identifier: BSD-3-Clause
// Finds the OpenMP runtime for the GOMP_* entry points that this object defines.
//
// A process can hold several copies of libgomp (Python packages bring their own, opened
// RTLD_LOCAL). A call must then go to the copy that its caller would have reached without us.
#pragma once

#include <stdint.h>

// X(name): the entry points of libgomp that are wrapped.
#define PLAIT_GOMP_FUNCTIONS(X)                    \
  X(GOMP_parallel)                                 \
  X(GOMP_parallel_reductions)                      \
  X(GOMP_parallel_sections)                        \
  X(GOMP_parallel_loop_static)                     \
  X(GOMP_parallel_loop_dynamic)                    \
  X(GOMP_parallel_loop_guided)                     \
  X(GOMP_parallel_loop_nonmonotonic_dynamic)       \
  X(GOMP_parallel_loop_nonmonotonic_guided)        \
  X(GOMP_parallel_loop_runtime)                    \
  X(GOMP_parallel_loop_nonmonotonic_runtime)       \
  X(GOMP_parallel_loop_maybe_nonmonotonic_runtime) \
  X(GOMP_parallel_start)                           \
  X(GOMP_parallel_sections_start)                  \
  X(GOMP_parallel_loop_static_start)               \
  X(GOMP_parallel_loop_dynamic_start)              \
  X(GOMP_parallel_loop_guided_start)               \
  X(GOMP_parallel_loop_runtime_start)              \
  X(GOMP_parallel_end)                             \
  X(GOMP_barrier)                                  \
  X(GOMP_barrier_cancel)                           \
  X(GOMP_loop_end)                                 \
  X(GOMP_loop_end_cancel)                          \
  X(GOMP_sections_end)                             \
  X(GOMP_sections_end_cancel)                      \
  X(GOMP_single_copy_start)                        \
  X(GOMP_single_copy_end)                          \
  X(GOMP_workshare_task_reduction_unregister)      \
  X(GOMP_critical_start)                           \
  X(GOMP_critical_name_start)                      \
  X(GOMP_atomic_start)                             \
  X(GOMP_ordered_start)                            \
  X(GOMP_taskwait)                                 \
  X(GOMP_taskwait_depend)                          \
  X(GOMP_taskgroup_end)                            \
  X(GOMP_task)                                     \
  X(GOMP_taskloop)                                 \
  X(GOMP_taskloop_ull)                             \
  X(omp_set_lock)                                  \
  X(omp_set_nest_lock)                             \
  X(omp_set_lock_)                                 \
  X(omp_set_nest_lock_)

namespace plait::preload::openmp {

enum GompFunction : int {
#define PLAIT_GOMP_ID(name) k_##name,
  PLAIT_GOMP_FUNCTIONS(PLAIT_GOMP_ID)
#undef PLAIT_GOMP_ID
      kGompFunctions
};

struct Runtime {
  void* functions[kGompFunctions];  // null: missing in this version
  int (*thread_num)();
  int (*num_threads)();
  int (*cancellation)();
  int (*max_threads)();
  char name[64];  // of its file
  bool measured;  // false: not libgomp; its GOMP_* calls pass through (LLVM's are seen by OMPT)
};

extern const Runtime* global_runtime;  // the one in the global scope, once found

/// The runtime of a caller by its return address. Never null: without a runtime, all its functions
/// are null.
const Runtime& find_runtime(const void* caller);

inline const Runtime& runtime_of(const void* caller) {
  const Runtime* runtime = __atomic_load_n(&global_runtime, __ATOMIC_ACQUIRE);
  return runtime ? *runtime : find_runtime(caller);
}

}  // namespace plait::preload::openmp
