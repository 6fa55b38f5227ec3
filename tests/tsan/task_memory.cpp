// SPDX-License-Identifier: BSD-3-Clause
// Tells the thread sanitizer when libomp gives the memory of a finished OpenMP task to a new one.
//
// Linked in front of libomp in builds with -fsanitize=thread. Archer tells the sanitizer of tasks,
// barriers and locks, but not of libomp's recycling of task descriptors: the new task's captured
// variables are written where a thread has read those of an old one, which is not a race but looks
// like one. Nothing is suppressed by this: the end of a task is ordered before the next task in
// the same memory, as malloc and free would order them.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

extern "C" {

void __tsan_acquire(void* address);
void __tsan_release(void* address);

/// The part of libomp's kmp_task_t that compilers rely on (openmp/runtime/src/kmp.h).
struct Task {
  void* shareds;  ///< the task's shared variables, in the descriptor's memory
  int (*entry)(std::int32_t thread, Task* task);
};
using Entry = decltype(Task::entry);

/// In front of the shared variables: room for the task's own entry point, alignment kept.
constexpr std::size_t room = 16;

static int run_then_release(std::int32_t thread, Task* task) {
  const Entry entry = static_cast<Entry*>(task->shareds)[-1];
  const int result = entry(thread, task);
  __tsan_release(task);
  return result;
}

[[gnu::visibility("default")]] Task* __kmpc_omp_task_alloc(void* location, std::int32_t thread,
                                                           std::int32_t flags,
                                                           std::size_t task_bytes,
                                                           std::size_t shared_bytes, Entry entry) {
  static const auto allocate =
      reinterpret_cast<decltype(&__kmpc_omp_task_alloc)>(dlsym(RTLD_NEXT, "__kmpc_omp_task_alloc"));
  Task* task = allocate(location, thread, flags, task_bytes, shared_bytes + room, run_then_release);
  __tsan_acquire(task);
  task->shareds = static_cast<char*>(task->shareds) + room;
  static_cast<Entry*>(task->shareds)[-1] = entry;
  return task;
}

}  // extern "C"
