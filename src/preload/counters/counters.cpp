// SPDX-License-Identifier: BSD-3-Clause
// Gives threads their counters, and adds what these counted to the thread's sums in the record.
#include "preload/counters/counters.hpp"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/counters/event_set.hpp"
#include "preload/counters/readings.hpp"
#include "preload/hooks.hpp"
#include "preload/recorder.hpp"
#include "preload/wait_clock.hpp"

namespace plait::preload::counters {

bool active;

namespace {

constexpr uint32_t kRegions = 4096;       // further ones count as the region around them
constexpr uint64_t kReadingsApart = 200;  // times the cost of a reading, at MPI calls: 0.5 %
constexpr uint64_t kRegionsApart = 10;    // the same, at the borders of regions

// The counters of one thread. Those of a thread that has ended serve a later one.
struct ThreadCounters {
  EventSet set;
  int32_t tid, omp_thread;
  uint32_t region;
  bool open, from_pages;
  int lock;                   // others read it when the process ends
  uint64_t ticks, mpi_ticks;  // at the latest reading
  plait_counter_value last[PLAIT_MOST_COUNTERS];
  plait_counter_sums** sums;  // by region
  Totals totals;
  Readings readings;
  ThreadCounters *next, *next_free;
};

Event events[PLAIT_MOST_COUNTERS];
int event_count;
bool counting;  // MPI_Init has ended
uint64_t reading_ticks, call_period, region_period;
int list_lock, sums_lock;
uint32_t thread_count;
ThreadCounters *all_threads, *free_threads;
uint64_t open_files;
pthread_key_t at_thread_end;
__thread ThreadCounters* own __attribute__((tls_model("initial-exec")));

plait_counter_record* counter(int i) {
  return entry_at<plait_counter_record>(PLAIT_SECTION_COUNTERS, static_cast<uint32_t>(i));
}

plait_counter_sums* sums_of(ThreadCounters* thread) {
  const uint32_t region = thread->region < kRegions ? thread->region : 0;
  plait_counter_sums*& sums = thread->sums[region];
  if (sums) return sums;
  SpinLock hold(&sums_lock);
  sums = static_cast<plait_counter_sums*>(append(PLAIT_SECTION_COUNTER_SUMS));
  if (!sums) return nullptr;
  sums->tid = thread->tid;
  sums->omp_thread = thread->omp_thread;
  sums->region = region;
  publish(PLAIT_SECTION_COUNTER_SUMS);
  return sums;
}

// Reads the counters. What they counted since the last reading is divided by the time.
void take(ThreadCounters* thread, uint64_t now, uint64_t mpi_ticks, bool by_itself,
          bool is_last = false) {
  SpinLock hold(&thread->lock);
  if (!thread->open) return;
  plait_counter_value values[PLAIT_MOST_COUNTERS];
  read_events(thread->set, event_count, by_itself && thread->from_pages, values);
  const uint64_t elapsed = now > thread->ticks ? now - thread->ticks : 0;
  uint64_t inside = mpi_ticks > thread->mpi_ticks ? mpi_ticks - thread->mpi_ticks : 0;
  if (inside > elapsed) inside = elapsed;
  plait_counter_sums* sums = counting && !paused && thread->ticks ? sums_of(thread) : nullptr;
  if (sums) {
    const bool keep = is_last || is_reading_due(thread->readings, now);
    if (keep) keep_reading_before(&thread->readings, thread->ticks, now, thread->totals);
    const double share = elapsed ? static_cast<double>(inside) / static_cast<double>(elapsed) : 0;
    Totals& totals = thread->totals;
    const uint64_t ticks[2] = {elapsed - inside, inside};
    for (int at = 0; at < 2; ++at) {
      sums->ticks[at] += ticks[at];
      totals.ticks[at] += ticks[at];
    }
    ++sums->readings;
    const auto divide = [&](int i, uint64_t plait_counter_value::*member) {
      const uint64_t before = thread->last[i].*member, after = values[i].*member;
      const uint64_t counted = after > before ? after - before : 0;
      const auto within = static_cast<uint64_t>(static_cast<double>(counted) * share);
      const uint64_t parts[2] = {counted - within, within};
      for (int at = 0; at < 2; ++at) {
        sums->values[at][i].*member += parts[at];
        totals.values[at][i].*member += parts[at];
      }
    };
    for (int i = 0; i < event_count; ++i) {
      divide(i, &plait_counter_value::value);
      divide(i, &plait_counter_value::enabled_ns);
      divide(i, &plait_counter_value::running_ns);
    }
    if (keep) keep_reading(&thread->readings, now, totals);
  }
  memcpy(thread->last, values, sizeof values);
  thread->ticks = now;
  thread->mpi_ticks = mpi_ticks;
}

// The calling thread reads the counters of any.
void take_from(ThreadCounters* thread, bool is_last = false) {
  const bool by_itself = thread == own;
  take(thread, now_ticks(), by_itself ? thread_mpi_ticks() : thread->mpi_ticks, by_itself, is_last);
}

void end_thread(void* data) {
  auto* thread = static_cast<ThreadCounters*>(data);
  if (!active || !own) return;
  take(thread, now_ticks(), thread_mpi_ticks(), true, true);
  own = nullptr;
  SpinLock hold(&list_lock);
  SpinLock hold_thread(&thread->lock);
  for (int i = 0; i < event_count; ++i) open_files -= thread->set.files[i] != 0;
  close_events(&thread->set, event_count);
  thread->open = false;
  thread->next_free = free_threads;
  free_threads = thread;
}

// Half of the descriptors are left to the program.
bool has_room_for_files() {
  rlimit limit;
  return !getrlimit(RLIMIT_NOFILE, &limit) &&
         open_files + static_cast<uint64_t>(event_count) <= limit.rlim_cur / 2;
}

ThreadCounters* new_thread() {
  if (free_threads) {
    ThreadCounters* thread = free_threads;
    free_threads = thread->next_free;
    return thread;
  }
  auto* thread = static_cast<ThreadCounters*>(
      map_pages(sizeof(ThreadCounters) + sizeof(plait_counter_sums*) * kRegions));
  if (!thread) return nullptr;
  thread->sums = reinterpret_cast<plait_counter_sums**>(thread + 1);
  thread->readings.number = thread_count++;
  thread->next = all_threads;
  __atomic_store_n(&all_threads, thread, __ATOMIC_RELEASE);
  return thread;
}

// Opens the counters of the calling thread; false: it has none.
bool open_own(ThreadCounters* thread) {
  int errors[PLAIT_MOST_COUNTERS];
  const bool room = has_room_for_files();
  if (room) open_events(events, event_count, &thread->set, errors);
  bool any = false;
  for (int i = 0; i < event_count; ++i) {
    plait_counter_record* kept = counter(i);
    const int error = room ? errors[i] : EMFILE;
    any = any || error == 0;
    open_files += error == 0;
    ++(error ? kept->failures : kept->threads);
    if (error && !kept->error) kept->error = error;
    kept->user_only = kept->user_only || events[i].user_only;
  }
  thread->from_pages = any && map_pages_of(&thread->set, event_count);
  return any;
}

// The shortest of a few readings.
uint64_t calibrate(const ThreadCounters& thread) {
  uint64_t least = ~uint64_t{0};
  plait_counter_value values[PLAIT_MOST_COUNTERS];
  for (int i = 0; i < 20; ++i) {
    const uint64_t began = now_ticks();
    read_events(thread.set, event_count, thread.from_pages, values);
    const uint64_t took = now_ticks() - began;
    if (took < least) least = took;
  }
  return least ? least : 1;
}

// "TYPE:CONFIG:CONFIG1:CONFIG2:NAME;..."
void parse(const char* list) {
  while (*list && event_count < PLAIT_MOST_COUNTERS) {
    Event& event = events[event_count];
    char* rest = nullptr;
    event.type = static_cast<uint32_t>(strtoul(list, &rest, 0));
    if (*rest != ':') return;
    event.config = strtoull(rest + 1, &rest, 0);
    if (*rest != ':') return;
    event.config1 = strtoull(rest + 1, &rest, 0);
    if (*rest != ':') return;
    event.config2 = strtoull(rest + 1, &rest, 0);
    if (*rest != ':') return;
    const char* name = rest + 1;
    const char* end = name;
    while (*end && *end != ';') ++end;
    const auto length = static_cast<size_t>(end - name);
    char copy[256];
    if (length >= sizeof copy) return;
    memcpy(copy, name, length);
    copy[length] = '\0';
    auto* kept = static_cast<plait_counter_record*>(append(PLAIT_SECTION_COUNTERS));
    if (!kept) return;
    kept->name = add_string(copy);
    kept->type = event.type;
    kept->config = event.config;
    publish(PLAIT_SECTION_COUNTERS);
    ++event_count;
    list = *end ? end + 1 : end;
  }
}

}  // namespace

void open() {
  const char* list = getenv("PLAIT_COUNTERS");
  if (active || !record || !list || !*list) return;
  if (pthread_key_create(&at_thread_end, end_thread)) return;
  parse(list);
  if (event_count == 0) return;
  active = true;
  open_readings(event_count);
  begin_thread(-1);
  if (!own) return;
  reading_ticks = calibrate(*own);
  call_period = own->from_pages ? 0 : reading_ticks * kReadingsApart;
  region_period = reading_ticks * kRegionsApart;
  record->counter_reading_ns = static_cast<double>(reading_ticks) / record->ticks_per_s * 1e9;
  if (own->from_pages) read_at_each_call();
}

void begin() {
  if (!active) return;
  for (ThreadCounters* thread = all_threads; thread; thread = thread->next) take_from(thread);
  counting = true;
}

void begin_thread(int omp_thread) {
  if (!active || !record) return;
  if (own) {
    if (omp_thread >= 0) own->omp_thread = omp_thread;
    return;
  }
  ThreadCounters* thread;
  {
    SpinLock hold(&list_lock);
    thread = new_thread();
    if (!thread) return;
    thread->tid = static_cast<int32_t>(syscall(SYS_gettid));
    thread->omp_thread = omp_thread;
    thread->region = 0;
    thread->ticks = 0;
    open_own(thread);
    thread->open = true;
  }
  own = thread;
  pthread_setspecific(at_thread_end, thread);
  take(thread, now_ticks(), thread_mpi_ticks(), true);
}

void at_call(uint64_t now, uint64_t mpi_ticks) {
  ThreadCounters* thread = own;
  if (thread && now - thread->ticks >= call_period) take(thread, now, mpi_ticks, true);
}

void set_region(uint32_t region, uint64_t now, uint64_t mpi_ticks) {
  ThreadCounters* thread = own;
  if (!thread) return;
  if (now - thread->ticks >= region_period) take(thread, now, mpi_ticks, true);
  thread->region = region;
}

void read_now() {
  if (active && own) take_from(own);
}

void restart_clock() {
  if (own) own->mpi_ticks = thread_mpi_ticks();
}

uint32_t region() {
  return own ? own->region : 0;
}

void begin_work(int omp_thread, uint32_t region) {
  begin_thread(omp_thread);
  if (own && own->region != region) set_region(region, now_ticks(), thread_mpi_ticks());
}

void end_work() {
  if (own) at_call(now_ticks(), thread_mpi_ticks());
}

void finish() {
  if (!active || !record) return;
  for (ThreadCounters* thread = all_threads; thread; thread = thread->next) take_from(thread, true);
  close_readings();  // the trace ends
}

void forget() {
  active = false;
  own = nullptr;
  list_lock = sums_lock = 0;
}

}  // namespace plait::preload::counters
