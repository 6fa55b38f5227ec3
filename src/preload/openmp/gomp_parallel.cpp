// SPDX-License-Identifier: BSD-3-Clause
// GCC's parallel regions: libgomp gets a trampoline in place of the body.
#include "preload/openmp/gomp.hpp"

namespace plait::preload::openmp {

namespace {

using Body = void (*)(void*);

// Runs on each thread of the team.
void run_body(void* argument) {
  auto* team = static_cast<Team*>(argument);
  body_begin(team, team->runtime->thread_num(), team->runtime->num_threads());
  team->body(team->data);
  body_end();
  trace_work();
}

// Regions that the calling thread began with the entry points of GCC before 4.9, where the program
// itself runs the body between ..._start and GOMP_parallel_end.
struct OldRegions {
  static constexpr int kDepth = 8;
  Team* open[kDepth];
  int depth;
};
PLAIT_TLS OldRegions old_regions;

Team* open_region(const Runtime& runtime, Body body, void* data) {
  if (!runtime.measured || !record) return nullptr;
  if (record->openmp_view == PLAIT_OPENMP_NOT_SEEN || record->openmp_view == PLAIT_OPENMP_BLIND) {
    set_view(PLAIT_OPENMP_GOMP, runtime.name);
  }
  Team* team = region_begin(reinterpret_cast<uint64_t>(body));
  if (team) {
    team->body = body;
    team->data = data;
    team->runtime = &runtime;
  }
  return team;
}

// The frame of the function that it is in, which is kept until the region has ended.
#define PLAIT_FRAME reinterpret_cast<uintptr_t>(__builtin_frame_address(0))

// No call at a function's end may take its frame before this.
void keep_frame() {
  asm volatile("" ::: "memory");
}

// Runs a region by `function` of the runtime, whose first arguments are body and data. Inlined, so
// that it has the frame of the function that the program calls.
template <class Function, class... Rest>
__attribute__((always_inline)) inline void run_region(int function, const void* caller, Body body,
                                                      void* data, Rest... rest) {
  const Runtime& runtime = runtime_of(caller);
  auto* real = reinterpret_cast<Function>(runtime.functions[function]);
  if (!real) return body(data);  // no OpenMP runtime: the region has one thread
  Team* team = open_region(runtime, body, data);
  if (!team) return real(body, data, rest...);
  team->start_frame = PLAIT_FRAME;
  real(run_body, team, rest...);
  region_end(team);
  keep_frame();
}

template <class Function, class... Rest>
void start_region(int function, const void* caller, Body body, void* data, Rest... rest) {
  const Runtime& runtime = runtime_of(caller);
  auto* real = reinterpret_cast<Function>(runtime.functions[function]);
  if (!real) return;
  OldRegions& mine = old_regions;
  Team* team = mine.depth < OldRegions::kDepth ? open_region(runtime, body, data) : nullptr;
  if (mine.depth < OldRegions::kDepth) mine.open[mine.depth] = team;
  ++mine.depth;
  if (!team) return real(body, data, rest...);
  real(run_body, team, rest...);
  body_begin(team, 0, runtime.num_threads());
}

}  // namespace

extern "C" {

PLAIT_EXPORT void GOMP_parallel(Body body, void* data, unsigned threads, unsigned flags) {
  run_region<void (*)(Body, void*, unsigned, unsigned)>(k_GOMP_parallel, PLAIT_CALLER, body, data,
                                                        threads, flags);
}

PLAIT_EXPORT unsigned GOMP_parallel_reductions(Body body, void* data, unsigned threads,
                                               unsigned flags) {
  const Runtime& runtime = runtime_of(PLAIT_CALLER);
  auto* real = reinterpret_cast<unsigned (*)(Body, void*, unsigned, unsigned)>(
      runtime.functions[k_GOMP_parallel_reductions]);
  if (!real) return body(data), 1;
  Team* team = open_region(runtime, body, data);
  if (!team) return real(body, data, threads, flags);
  team->reductions = *static_cast<void**>(data);
  team->start_frame = PLAIT_FRAME;
  const unsigned started = real(run_body, team, threads, flags);
  region_end(team);
  return started;
}

PLAIT_EXPORT void GOMP_parallel_sections(Body body, void* data, unsigned threads, unsigned count,
                                         unsigned flags) {
  run_region<void (*)(Body, void*, unsigned, unsigned, unsigned)>(
      k_GOMP_parallel_sections, PLAIT_CALLER, body, data, threads, count, flags);
}

#define PLAIT_PARALLEL_LOOP_CHUNKED(name)                                                          \
  PLAIT_EXPORT void name(Body body, void* data, unsigned threads, long start, long end, long step, \
                         long chunk, unsigned flags) {                                             \
    run_region<void (*)(Body, void*, unsigned, long, long, long, long, unsigned)>(                 \
        k_##name, PLAIT_CALLER, body, data, threads, start, end, step, chunk, flags);              \
  }
PLAIT_PARALLEL_LOOP_CHUNKED(GOMP_parallel_loop_static)
PLAIT_PARALLEL_LOOP_CHUNKED(GOMP_parallel_loop_dynamic)
PLAIT_PARALLEL_LOOP_CHUNKED(GOMP_parallel_loop_guided)
PLAIT_PARALLEL_LOOP_CHUNKED(GOMP_parallel_loop_nonmonotonic_dynamic)
PLAIT_PARALLEL_LOOP_CHUNKED(GOMP_parallel_loop_nonmonotonic_guided)

#define PLAIT_PARALLEL_LOOP(name)                                                                  \
  PLAIT_EXPORT void name(Body body, void* data, unsigned threads, long start, long end, long step, \
                         unsigned flags) {                                                         \
    run_region<void (*)(Body, void*, unsigned, long, long, long, unsigned)>(                       \
        k_##name, PLAIT_CALLER, body, data, threads, start, end, step, flags);                     \
  }
PLAIT_PARALLEL_LOOP(GOMP_parallel_loop_runtime)
PLAIT_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
PLAIT_PARALLEL_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

PLAIT_EXPORT void GOMP_parallel_start(Body body, void* data, unsigned threads) {
  start_region<void (*)(Body, void*, unsigned)>(k_GOMP_parallel_start, PLAIT_CALLER, body, data,
                                                threads);
}

PLAIT_EXPORT void GOMP_parallel_sections_start(Body body, void* data, unsigned threads,
                                               unsigned count) {
  start_region<void (*)(Body, void*, unsigned, unsigned)>(k_GOMP_parallel_sections_start,
                                                          PLAIT_CALLER, body, data, threads, count);
}

#define PLAIT_PARALLEL_LOOP_START(name)                                                            \
  PLAIT_EXPORT void name(Body body, void* data, unsigned threads, long start, long end, long step, \
                         long chunk) {                                                             \
    start_region<void (*)(Body, void*, unsigned, long, long, long, long)>(                         \
        k_##name, PLAIT_CALLER, body, data, threads, start, end, step, chunk);                     \
  }
PLAIT_PARALLEL_LOOP_START(GOMP_parallel_loop_static_start)
PLAIT_PARALLEL_LOOP_START(GOMP_parallel_loop_dynamic_start)
PLAIT_PARALLEL_LOOP_START(GOMP_parallel_loop_guided_start)

PLAIT_EXPORT void GOMP_parallel_loop_runtime_start(Body body, void* data, unsigned threads,
                                                   long start, long end, long step) {
  start_region<void (*)(Body, void*, unsigned, long, long, long)>(
      k_GOMP_parallel_loop_runtime_start, PLAIT_CALLER, body, data, threads, start, end, step);
}

PLAIT_EXPORT void GOMP_parallel_end(void) {
  auto* real =
      reinterpret_cast<void (*)()>(runtime_of(PLAIT_CALLER).functions[k_GOMP_parallel_end]);
  if (!real) return;
  OldRegions& mine = old_regions;
  Team* team = nullptr;
  if (mine.depth > 0 && --mine.depth < OldRegions::kDepth) team = mine.open[mine.depth];
  if (team) {
    body_end();
    trace_work();
  }
  real();
  if (team) region_end(team);
}

}  // extern "C"

}  // namespace plait::preload::openmp
