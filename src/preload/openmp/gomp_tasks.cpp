// SPDX-License-Identifier: BSD-3-Clause
// GCC's explicit tasks: their bodies are work, even while the thread that runs them waits.
//
// libgomp copies a task's argument block, or lets the program's copy function do so, before it runs
// the task. We give it a block with a header in front that names the real body, and a copy function
// that fills it. The layouts that libgomp relies on: a taskloop's block begins with the bounds that
// libgomp stores there, in the source followed by its reductions (libgomp/taskloop.c).
#include <string.h>

#include "preload/openmp/gomp.hpp"

namespace plait::preload::openmp {

namespace {

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);

constexpr unsigned kDetach = 1U << 13;     // GOMP_TASK_FLAG_DETACH: libgomp writes into the source
constexpr unsigned kNoGroup = 1U << 11;    // GOMP_TASK_FLAG_NOGROUP
constexpr unsigned kReduction = 1U << 12;  // GOMP_TASK_FLAG_REDUCTION

// In front of the program's own argument block.
struct Header {
  uint64_t bounds[2];  // of a taskloop's share
  Body body;
  uint64_t offset;  // of the program's block, from here
};

// The argument of the copy function.
struct Source {
  uint64_t bounds[2];
  void* reductions;  // of a taskloop
  Body body;
  Copy copy;
  void* data;
  uint64_t offset, bytes;
};

void copy_block(void* to, void* from) {
  const auto* source = static_cast<const Source*>(from);
  auto* header = static_cast<Header*>(to);
  header->body = source->body;
  header->offset = source->offset;
  char* block = static_cast<char*>(to) + source->offset;
  if (source->copy) {
    source->copy(block, source->data);
  } else {
    memcpy(block, source->data, source->bytes);
  }
}

void run_as_work(Body body, void* block) {
  const bool waited = idle_end();
  body(block);
  if (waited) idle_begin();
}

void run_task(void* argument) {
  const auto* header = static_cast<const Header*>(argument);
  run_as_work(header->body, static_cast<char*>(argument) + header->offset);
}

void run_share(void* argument) {
  const auto* header = static_cast<const Header*>(argument);
  char* block = static_cast<char*>(argument) + header->offset;
  memcpy(block, header->bounds, sizeof header->bounds);
  run_as_work(header->body, block);
}

struct Layout {
  long bytes, alignment;
  uint64_t offset;
};

Layout layout_with_header(long bytes, long alignment) {
  const long at_least = static_cast<long>(alignof(Header));
  Layout with{};
  with.alignment = alignment > at_least ? alignment : at_least;
  const auto round = static_cast<uint64_t>(with.alignment);
  with.offset = (sizeof(Header) + round - 1) / round * round;
  with.bytes =
      static_cast<long>((with.offset + static_cast<uint64_t>(bytes) + round - 1) / round * round);
  return with;
}

// A copy function changes how cancellation affects a task. So a task without one gets none if
// cancellation is on.
bool may_wrap(const Runtime& runtime, Copy copy, long bytes) {
  return record && runtime.measured && bytes >= 0 && thread_state.entry &&
         (copy || (runtime.cancellation && !runtime.cancellation()));
}

template <class Bound>
using Taskloop = void (*)(Body, void*, Copy, long, long, unsigned, unsigned long, int, Bound, Bound,
                          Bound);

template <class Bound>
void taskloop(int function, const void* caller, Body body, void* data, Copy copy, long bytes,
              long alignment, unsigned flags, unsigned long tasks, int priority, Bound start,
              Bound end, Bound step) {
  const Runtime& runtime = runtime_of(caller);
  auto* real = reinterpret_cast<Taskloop<Bound>>(runtime.functions[function]);
  if (!real) {
    note("GOMP_taskloop was called without an OpenMP runtime");
    return;
  }
  if (!may_wrap(runtime, copy, bytes) || bytes < static_cast<long>(2 * sizeof(Bound))) {
    return real(body, data, copy, bytes, alignment, flags, tasks, priority, start, end, step);
  }
  const Layout with = layout_with_header(bytes, alignment);
  Source source{};
  if (flags & kReduction) source.reductions = static_cast<void**>(data)[2];
  source.body = body;
  source.copy = copy;
  source.data = data;
  source.offset = with.offset;
  source.bytes = static_cast<uint64_t>(bytes);
  const bool waits = !(flags & kNoGroup) && idle_begin();
  real(run_share, &source, copy_block, with.bytes, with.alignment, flags, tasks, priority, start,
       end, step);
  if (waits) idle_end();
}

}  // namespace

extern "C" {

// Callers built by older compilers pass fewer arguments; the values read for the missing ones are
// passed on unused.
PLAIT_EXPORT void GOMP_task(Body body, void* data, Copy copy, long bytes, long alignment,
                            bool if_clause, unsigned flags, void** depend, int priority,
                            void* detach) {
  const Runtime& runtime = runtime_of(PLAIT_CALLER);
  auto* real =
      reinterpret_cast<void (*)(Body, void*, Copy, long, long, bool, unsigned, void**, int, void*)>(
          runtime.functions[k_GOMP_task]);
  if (!real) {
    note("GOMP_task was called without an OpenMP runtime");
    return;
  }
  if ((flags & kDetach) || !may_wrap(runtime, copy, bytes)) {
    return real(body, data, copy, bytes, alignment, if_clause, flags, depend, priority, detach);
  }
  const Layout with = layout_with_header(bytes, alignment);
  Source source{};
  source.body = body;
  source.copy = copy;
  source.data = data;
  source.offset = with.offset;
  source.bytes = static_cast<uint64_t>(bytes);
  real(run_task, &source, copy_block, with.bytes, with.alignment, if_clause, flags, depend,
       priority, detach);
}

PLAIT_EXPORT void GOMP_taskloop(Body body, void* data, Copy copy, long bytes, long alignment,
                                unsigned flags, unsigned long tasks, int priority, long start,
                                long end, long step) {
  taskloop<long>(k_GOMP_taskloop, PLAIT_CALLER, body, data, copy, bytes, alignment, flags, tasks,
                 priority, start, end, step);
}

PLAIT_EXPORT void GOMP_taskloop_ull(Body body, void* data, Copy copy, long bytes, long alignment,
                                    unsigned flags, unsigned long tasks, int priority,
                                    unsigned long long start, unsigned long long end,
                                    unsigned long long step) {
  taskloop<unsigned long long>(k_GOMP_taskloop_ull, PLAIT_CALLER, body, data, copy, bytes,
                               alignment, flags, tasks, priority, start, end, step);
}

}  // extern "C"

}  // namespace plait::preload::openmp
