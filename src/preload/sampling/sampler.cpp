// SPDX-License-Identifier: BSD-3-Clause
// Gives threads their timers and tables, and takes them back.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/calls/python.hpp"
#include "preload/hooks.hpp"
#include "preload/placement/proc_files.hpp"
#include "preload/recorder.hpp"
#include "preload/sampling/clocks.hpp"
#include "preload/sampling/sample_file.hpp"
#include "preload/sampling/sampled_thread.hpp"
#include "preload/sampling/sampling.hpp"
#include "preload/signals/signals.h"

namespace plait::preload {

namespace sampling {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kSignalStack = 256 << 10;  // beside what the kernel saves there
constexpr double kDefaultHz = 100, kLeastHz = 0.01, kMostHz = 10000;

bool active;
double rate_hz;
plait_signals* signals;
int signal_number;
int lock;
SampledThread *free_threads, *all_threads;
pthread_key_t at_thread_end;

uint64_t memory_of_thread() {
#if defined(_SC_MINSIGSTKSZ)
  const long least = sysconf(_SC_MINSIGSTKSZ);
#else
  const long least = MINSIGSTKSZ;
#endif
  const uint64_t bytes = sizeof(SampledThread) + kGrowStack + kSignalStack +
                         (least > 0 ? static_cast<uint64_t>(least) : 0);
  return (bytes + kPage - 1) / kPage * kPage;
}

bool start_timer_of(SampledThread* thread) {
  return start_timer(&thread->timer, sample_clock_kind, thread->tid, signal_number, thread,
                     static_cast<uint64_t>(1e9 / rate_hz));
}

/// Under the lock. Null: no memory or no room.
SampledThread* take_memory() {
  if (SampledThread* thread = free_threads) {
    free_threads = thread->next_free;
    return thread;
  }
  void* memory = map_pages(memory_of_thread());
  if (!memory) return nullptr;
  auto* thread = static_cast<SampledThread*>(memory);
  if (!open_table(&thread->table)) {
    munmap(memory, memory_of_thread());
    return nullptr;
  }
  thread->next = all_threads;
  __atomic_store_n(&all_threads, thread, __ATOMIC_RELEASE);
  return thread;
}

/// Under the lock. The entry of a thread that ended without a sample is used again.
bool give_entry(SampledThread* thread) {
  if (!thread->entry || thread->entry->samples + thread->entry->lost > 0) {
    auto* entry = static_cast<plait_sampled_thread*>(
        append_sample(&thread->table, PLAIT_SAMPLE_THREADS, 1, &thread->index));
    if (!entry) return false;
    memset(entry, 0, sizeof *entry);
    publish_sample(&thread->table, PLAIT_SAMPLE_THREADS, thread->index + 1);
    thread->entry = entry;
  }
  *thread->entry = {};
  thread->entry->tid = thread->tid;
  thread->entry->omp_thread = -1;
  thread->entry->begin_ticks = thread->entry->last_ticks = now_ticks();
  return true;
}

/// A thread with a table and an entry; null: there is none, which is counted. Takes the lock.
SampledThread* new_thread(int32_t tid) {
  SampledThread* thread = nullptr;
  {
    SpinLock hold(&lock);
    if (active) thread = find_thread(tid);
    if (thread) {
      stop_timer(&thread->timer);
    } else if (active) {
      thread = take_memory();
    }
    if (thread) {
      thread->tid = tid;
      thread->sampled_cpu_ns = 0;
    }
    if (thread && !give_entry(thread)) {
      thread->tid = 0;
      thread->next_free = free_threads;
      free_threads = thread;
      thread = nullptr;
    }
  }
  if (!thread) __atomic_fetch_add(&file_header->unsampled_threads, 1, __ATOMIC_RELAXED);
  return thread;
}

/// Begins the samples of a thread that is complete.
void begin_samples(SampledThread* thread) {
  SpinLock hold(&lock);
  if (active && !start_timer_of(thread))
    __atomic_fetch_add(&file_header->unsampled_threads, 1, __ATOMIC_RELAXED);
}

void learn_stack(SampledThread* thread) {
  thread->stack_low = thread->stack_high = 0;
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  if (!pthread_attr_getstack(&attributes, &low, &bytes)) {
    thread->stack_low = reinterpret_cast<uintptr_t>(low);
    thread->stack_high = thread->stack_low + bytes;
  }
  pthread_attr_destroy(&attributes);
}

void begin_thread() {
  if (sampled || !__atomic_load_n(&active, __ATOMIC_ACQUIRE)) return;
  learn_objects();
  SampledThread* thread = new_thread(static_cast<int32_t>(syscall(SYS_gettid)));
  if (!thread) return;
  learn_stack(thread);
  thread->cpu_ns_before = cpu_ns_now();
  stack_t stack{};
  stack.ss_sp = thread->stacks + kGrowStack;
  stack.ss_size = memory_of_thread() - static_cast<uint64_t>(static_cast<char*>(stack.ss_sp) -
                                                             reinterpret_cast<char*>(thread));
  signals->set_stack(&stack);
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal_number);
  signals->set_mask(SIG_UNBLOCK, &own);
  pthread_setspecific(at_thread_end, thread);
  sampled = thread;
  begin_samples(thread);
}

/// A thread that began before the samples takes its memory with its first signal. The bounds of its
/// stack are not known, so it is read by the kernel.
bool adopt(int tid, void*) {
  {
    SpinLock hold(&lock);
    if (find_thread(tid)) return true;
  }
  SampledThread* thread = new_thread(tid);
  if (!thread) return false;
  thread->stack_low = thread->stack_high = 0;
  thread->cpu_ns_before = cpu_ns_of(cpu_clock_of(tid));
  begin_samples(thread);
  return true;
}

void end_thread(void*) {
  SampledThread* thread = sampled;
  if (!thread) return;
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, signal_number);
  signals->set_mask(SIG_BLOCK, &own);
  sampled = nullptr;
  SpinLock hold(&lock);
  stop_timer(&thread->timer);
  thread->tid = 0;
  signals->set_stack(nullptr);
  thread->entry->cpu_ns = cpu_ns_now() - thread->cpu_ns_before;
  thread->entry->last_ticks = now_ticks();
  thread->next_free = free_threads;
  free_threads = thread;
}

/// The program handles the signal itself: another one is used.
void change_signal() {
  SpinLock hold(&lock);
  if (!active) return;
  for (SampledThread* thread = all_threads; thread; thread = thread->next)
    stop_timer(&thread->timer);
  signal_number = signals->take(on_sample);
  file_header->signal = static_cast<uint32_t>(signal_number);
  if (!signal_number) {
    active = false;
    return note("the program handles all real-time signals itself, so sampling has ended");
  }
  for (SampledThread* thread = all_threads; thread; thread = thread->next)
    if (thread->tid) start_timer_of(thread);
}

SampleClock choose_clock() {
  if (has_option("sample_wall")) return SampleClock::wall;
  if (has_option("sample_timer")) return SampleClock::cpu;
  if (perf_clock_is_permitted()) return SampleClock::perf;
  note("perf_event_paranoid forbids perf's clock: short work is sampled too seldom");
  return SampleClock::cpu;
}

bool open() {
  const char* asked = getenv("PLAIT_SAMPLE_HZ");
  rate_hz = asked ? strtod(asked, nullptr) : kDefaultHz;
  if (!(rate_hz >= kLeastHz && rate_hz <= kMostHz)) rate_hz = kDefaultHz;
  sample_clock_kind = choose_clock();
  const bool wall_clock = sample_clock_kind == SampleClock::wall;
  keeps_times = wants_trace();
  signals = static_cast<plait_signals*>(dlsym(RTLD_DEFAULT, "plait_signals"));
  if (!signals || signals->version != PLAIT_SIGNALS_VERSION) {
    note("libplait-signals.so is not loaded, so no samples are taken");
    return false;
  }
  if (pthread_key_create(&at_thread_end, end_thread) || !create_sample_file()) return false;
  signal_number = signals->take(on_sample);
  if (!signal_number) {
    note("the program handles all real-time signals itself, so no samples are taken");
    return false;
  }
  // A tick of the kernel may contain several periods; more have passed only if the signal was
  // blocked, and then the stack is not that of all of them.
  most_per_signal = wall_clock ? UINT32_MAX : 1 + static_cast<uint32_t>(rate_hz / 50);
  file_header->rate_hz = rate_hz;
  file_header->ticks_per_s = record->ticks_per_s;
  file_header->clock = wall_clock ? PLAIT_SAMPLE_WALL : PLAIT_SAMPLE_CPU;
  file_header->signal = static_cast<uint32_t>(signal_number);
  __atomic_store_n(&file_header->magic, PLAIT_SAMPLES_MAGIC, __ATOMIC_RELEASE);
  return true;
}

}  // namespace

SampledThread* find_thread(int32_t tid) {
  SampledThread* thread = __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE);
  while (thread && thread->tid != tid) thread = thread->next;
  return thread;
}

}  // namespace sampling

using namespace sampling;

void sampling_start() {
  static int started;
  if (!record || !has_option("sample") || __atomic_exchange_n(&started, 1, __ATOMIC_ACQ_REL))
    return;
  if (!sampling::open()) return;
  __atomic_store_n(&active, true, __ATOMIC_RELEASE);
  sampling_refresh();
  signals->signal_lost = change_signal;
  begin_thread();
  each_number("/proc/self/task", adopt, nullptr);
}

void sampling_begin_thread() {
  begin_thread();
}

void sampling_refresh() {
  if (!__atomic_load_n(&active, __ATOMIC_ACQUIRE)) return;
  learn_objects();
  in_python();
  begin_thread();
}

void sampling_stop() {
  if (!active) return;
  {
    SpinLock hold(&lock);
    active = false;
    for (SampledThread* thread = all_threads; thread; thread = thread->next)
      stop_timer(&thread->timer);
  }
  if (sampled) sampled->entry->cpu_ns = cpu_ns_now() - sampled->cpu_ns_before;
  trim_sample_file();
}

void sampling_forget() {
  active = false;
  sampled = nullptr;
  lock = 0;
  for (SampledThread* thread = all_threads; thread; thread = thread->next)
    forget_timer(&thread->timer);
  if (signals) signals->forget();
}

}  // namespace plait::preload
