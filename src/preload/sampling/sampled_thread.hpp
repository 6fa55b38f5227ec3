// SPDX-License-Identifier: BSD-3-Clause
// A thread that is sampled, and what its signal handler uses.
#pragma once

#include <signal.h>
#include <stdint.h>

#include "preload/sampling/stack_table.hpp"
#include "preload/sampling/thread_timer.hpp"

namespace plait::preload::sampling {

constexpr uint64_t kGrowStack = 24 << 10;  // bytes

struct SampledThread {
  StackTable table;
  PythonLine lines[256];
  uint64_t native[kMostFrames];
  plait_sampled_thread* entry;
  uint32_t index;  // of `entry` in its section
  uintptr_t stack_low, stack_high;
  uint64_t cpu_ns_before;   // of the thread when it began to be sampled
  uint64_t sampled_cpu_ns;  // of the thread at its latest sample by perf's clock; 0: none
  uint64_t waited_ns;       // for a CPU, at the latest sample; only with the wall clock
  ThreadTimer timer;
  int32_t tid;
  SampledThread* next_free;
  SampledThread* next;  // of all
  /// The stack on which the file grows, and behind it the alternate stack; the rest of its memory.
  alignas(64) char stacks[1];
};

/// The calling thread's; null: it is not sampled.
extern __thread SampledThread* sampled __attribute__((tls_model("initial-exec")));

/// How many samples one expiry of the timer, and those that it missed, may stand for.
extern uint32_t most_per_signal;
extern SampleClock sample_clock_kind;
/// Samples are events of a trace, so each has its time.
extern bool keeps_times;

/// The memory that belongs to a thread, or belonged to one that ended unseen. Memory is never given
/// back, so the handler may look for that of its own thread; null: it has none.
SampledThread* find_thread(int32_t tid);

/// The signal handler.
void on_sample(int signal, siginfo_t* info, void* context);

}  // namespace plait::preload::sampling
