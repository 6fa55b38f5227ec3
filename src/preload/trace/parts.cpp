// SPDX-License-Identifier: BSD-3-Clause
// Switches the recording of events on and off by region, iteration and signal.
#include "preload/trace/parts.hpp"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/calls/function_info.hpp"
#include "preload/recorder.hpp"
#include "preload/trace/gaps.hpp"
#include "trace/rank_selection.hpp"

namespace plait::preload::trace {

namespace {

const char* region;       // null: none was asked for
uint64_t region_hash;     // 0: a function
uint32_t function = ~0u;  // the function's number
const char* iterations;   // null: all
int iteration;            // the last one that has begun
int depth;                // of regions of that name in each other
int signal_number;
uint32_t signals_seen;
uint32_t signals;  // received

void count_signal(int) {
  __atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
}

bool is_main_thread() {
  static __thread int known __attribute__((tls_model("initial-exec")));
  if (known == 0) known = syscall(SYS_gettid) == getpid() ? 1 : 2;
  return known == 1;
}

bool is_chosen(int number) {
  return !iterations || plait::trace::selects_rank(iterations, number);
}

const char* asked(const char* variable) {
  const char* value = getenv(variable);
  return value && *value ? value : nullptr;
}

uint32_t function_named(const char* name) {
  for (uint32_t i = 0; i < kFunctionsInAll; ++i)
    if (!strcmp(kFunctions[i].name, name)) return i;
  return ~0u;
}

bool handles_signal() {
  struct sigaction now;
  return sigaction(signal_number, nullptr, &now) == 0 && now.sa_handler == count_signal;
}

void watch_signal(const char* number) {
  signal_number = atoi(number);
  struct sigaction before, ours;
  memset(&ours, 0, sizeof ours);
  ours.sa_handler = count_signal;
  ours.sa_flags = SA_RESTART;
  if (sigaction(signal_number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL ||
      sigaction(signal_number, &ours, nullptr) != 0) {
    note(
        "the program handles the signal of --trace-signal itself, so the signal does not switch "
        "the trace on; choose another signal");
    signal_number = 0;
  }
  leave_out(kNotSignalled, true, now_ticks());
}

}  // namespace

void choose_parts() {
  region = asked("PLAIT_TRACE_REGION");
  iterations = asked("PLAIT_TRACE_ITERATIONS");
  if (region) {
    function = function_named(region);
    if (function == ~0u) region_hash = plait_hash_text(region);
    leave_out(kOtherPart, true, now_ticks());
  }
  if (const char* number = asked("PLAIT_TRACE_SIGNAL")) watch_signal(number);
}

void see_region(uint64_t name_hash, bool enters, uint64_t now) {
  if (!region_hash || name_hash != region_hash || !is_main_thread()) return;
  if (!enters && depth == 0) return;  // it was entered before the trace began
  if (enters ? depth++ > 0 : --depth > 0) return;
  if (enters) ++iteration;
  if (is_chosen(iteration)) leave_out(kOtherPart, !enters, now);
}

void see_call(const Call& call) {
  const uint32_t received = __atomic_load_n(&signals, __ATOMIC_RELAXED);
  uint32_t seen = __atomic_load_n(&signals_seen, __ATOMIC_RELAXED);
  if (__builtin_expect(received != seen, 0) &&
      __atomic_compare_exchange_n(&signals_seen, &seen, received, false, __ATOMIC_RELAXED,
                                  __ATOMIC_RELAXED))
    leave_out(kNotSignalled, received % 2 == 0, call.ended);
  if (call.function != function || !is_main_thread()) return;
  // Recording goes on behind the call if the next iteration, which the next call begins, is chosen.
  const bool was_chosen = iteration > 0 && is_chosen(iteration);
  ++iteration;
  if (is_chosen(iteration)) return leave_out(kOtherPart, false, call.began);
  if (was_chosen) leave_out(kOtherPart, true, call.began);
}

void report_parts() {
  char text[256];
  if (region && iteration == 0) {
    snprintf(text, sizeof text,
             "--trace-region %.100s: the program never %s, so nothing was traced", region,
             region_hash ? "entered a region of this name" : "called it");
    note(text);
  }
  if (!signal_number) return;
  if (!handles_signal()) {
    note(
        "the program handles the signal of --trace-signal itself, so the signal did not switch "
        "the trace on; choose another signal");
  } else if (signals == 0) {
    note("the signal of --trace-signal never came, so nothing was traced");
  }
}

}  // namespace plait::preload::trace
