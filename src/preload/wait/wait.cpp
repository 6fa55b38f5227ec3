// SPDX-License-Identifier: BSD-3-Clause
// sched_yield, with which MPI libraries let a rank wait that polls and finds nothing.
//
// Whatever it does instead, a program that is correct stays so: sched_yield() promises nothing.
// Calls of others than the MPI library, such as OpenMP's runtime or the program, and calls before
// MPI is initialized pass through.
#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "base/pause.hpp"
#include "preload/access.hpp"
#include "preload/uncancelled.hpp"
#include "preload/wait/page.hpp"
#include "preload/wait/policy.hpp"
#include "preload/wait/polled.hpp"

using plait::pause_cpu;
using namespace plait::preload;
using namespace plait::preload::wait;

namespace {

constexpr uint64_t kRefreshNs = 100 * kMs;    ///< age of what is known of CPUs and ranks
constexpr uint64_t kDisplacedNs = 1 * kMs;    ///< between looks whether the thread was displaced
constexpr uint64_t kSumNs = 10 * kMs;         ///< between sums of CPU time
constexpr uint64_t kOldSumNs = 1000 * kMs;    ///< a sum that says nothing of now
constexpr uint32_t kPausesPerLook = 64;       ///< pauses between looks at the clock
constexpr uint64_t kFixedSleepNs = 50 * kUs;  ///< of the policy sleep

struct Thread {
  Wait wait;
  Signs signs;
  uint64_t refreshed_ns, displaced_looked_ns;
  long displaced;
  uint32_t processes;
  uint32_t pauses;  ///< not yet added to the page
  bool crowded, looked_at_displaced;
};
__thread Thread mine __attribute__((tls_model("initial-exec")));

plait_wait_policy policy;
/// 0: not yet known; 1: being found; 2: this object waits; 3: it passes all calls through.
int state;
enum : int { kUnknown, kEntering, kWaits, kPasses };

int (*next_yield)();

/// Some MPI libraries yield on every poll; then other signs of a poll are not needed.
bool library_yields;
constexpr uint32_t kPollsSeen = 1000;  ///< without a yield, after which a library does not yield
__thread uint32_t polls_seen __attribute__((tls_model("initial-exec")));

uint64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

int real_yield() {
  if (!__atomic_load_n(&next_yield, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&next_yield, reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "sched_yield")),
                     __ATOMIC_RELEASE);
  }
  return next_yield();
}

// --- who calls ---------------------------------------------------------------------------------

/// Objects of MPI libraries and of what they are built on.
bool is_of_mpi(const char* path) {
  static const char* const names[] = {"libmpi", "libopen-pal", "libopen-rte", "mca_",
                                      "libuc",  "libpmpi",     "libfabric",   "libpmix",
                                      "libpsm", "libprrte",    "libmpich",    "libmpl"};
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  for (const char* begin : names) {
    if (!strncmp(name, begin, strlen(begin))) return true;
  }
  // Providers of libfabric are in a folder of its name, such as libfabric/libtcp-fi.so.
  return strstr(name, "-fi.so") != nullptr;
}

/// Each call comes from one of a few places, so what is known of an address is kept.
bool calls_from_mpi(const void* address) {
  constexpr size_t kPlaces = 64;
  static uintptr_t known[kPlaces];  // the address; its lowest bit, which dladdr needs not, is free
  const auto place = reinterpret_cast<uintptr_t>(address);
  uintptr_t& slot = known[(place >> 2) % kPlaces];
  const uintptr_t seen = __atomic_load_n(&slot, __ATOMIC_RELAXED);
  if (seen >> 1 == place) return seen & 1;
  Dl_info info{};
  const bool is = dladdr(address, &info) && info.dli_fname && is_of_mpi(info.dli_fname);
  __atomic_store_n(&slot, place << 1 | (is ? 1u : 0u), __ATOMIC_RELAXED);
  return is;
}

// --- whether this process is a rank ------------------------------------------------------------

plait_wait_policy policy_of(const char* text) {
  static const struct {
    const char* name;
    plait_wait_policy policy;
  } policies[] = {{"spin", PLAIT_WAIT_SPIN},
                  {"pause", PLAIT_WAIT_PAUSE},
                  {"yield", PLAIT_WAIT_YIELD},
                  {"sleep", PLAIT_WAIT_SLEEP},
                  {"automatic", PLAIT_WAIT_AUTOMATIC}};
  for (const auto& one : policies) {
    if (text && !strcmp(text, one.name)) return one.policy;
  }
  return PLAIT_WAIT_NONE;
}

/// Ranks are recorded from MPI_Init on; launchers never are.
bool waits_here() {
  const int known = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (known != kUnknown) return known == kWaits;
  if (!plait_preload_access || !plait_preload_access()->recording()) return false;
  int unknown = kUnknown;
  if (!__atomic_compare_exchange_n(&state, &unknown, static_cast<int>(kEntering), false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return false;
  policy = policy_of(getenv("PLAIT_WAIT"));
  const bool enters = policy != PLAIT_WAIT_NONE && enter_page(policy);
  __atomic_store_n(&state, static_cast<int>(enters ? kWaits : kPasses), __ATOMIC_RELEASE);
  return enters;
}

// --- what it does ------------------------------------------------------------------------------

void count(uint64_t& of, uint64_t times = 1) {
  __atomic_fetch_add(&of, times, __ATOMIC_RELAXED);
}

void pause_thread(Thread& thread) {
  pause_cpu();
  if (++thread.pauses < kPausesPerLook) return;
  count(myself->polls, thread.pauses);
  count(myself->pauses, thread.pauses);
  thread.pauses = 0;
}

void sleep_thread(uint64_t length_ns) {
  const int slack = prctl(PR_GET_TIMERSLACK);  // 50 us unless the program has set it
  prctl(PR_SET_TIMERSLACK, 1000ul);
  const timespec time{0, static_cast<long>(length_ns)};
  const uint64_t before = now_ns();
  uncancelled::sleep(time);
  const uint64_t after = now_ns();
  if (slack > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack));
  count(myself->polls);
  count(myself->sleeps);
  count(myself->slept_ns, after - before);
}

void assume_others(uint64_t until_ns) {
  if (until_ns == 0) return;
  count(myself->disturbances);
  uint64_t known = __atomic_load_n(&page->disturbed_until_ns, __ATOMIC_RELAXED);
  while (known < until_ns &&
         !__atomic_compare_exchange_n(&page->disturbed_until_ns, &known, until_ns, true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/// A thread that has a CPU for itself is displaced only by other programs.
void look_at_displaced(Thread& thread, uint64_t now) {
  if (now - thread.displaced_looked_ns < kDisplacedNs) return;
  thread.displaced_looked_ns = now;
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage)) return;
  const bool displaced = thread.looked_at_displaced && usage.ru_nivcsw > thread.displaced;
  thread.displaced = usage.ru_nivcsw;
  thread.looked_at_displaced = true;
  if (displaced) assume_others(thread.signs.add(now));
}

int own_cpus() {
  int cpus = 0;
  for (const uint64_t& word : myself->cpus)
    cpus += __builtin_popcountll(__atomic_load_n(&word, __ATOMIC_RELAXED));
  return cpus;
}

/// A yield gave a whole time slice away: to an own rank that computes, or to another program?
void look_at_long_yield(Thread& thread, uint64_t now) {
  const uint64_t before = __atomic_load_n(&page->summed_at_ns, __ATOMIC_ACQUIRE);
  if (now - before < kSumNs) return;
  const uint64_t sum_before = __atomic_load_n(&page->sum_ns, __ATOMIC_RELAXED);
  const uint64_t sum = cpu_time_of_all();
  __atomic_store_n(&page->sum_ns, sum, __ATOMIC_RELAXED);
  __atomic_store_n(&page->summed_at_ns, now, __ATOMIC_RELEASE);
  const uint64_t disturbed = __atomic_load_n(&page->disturbed_until_ns, __ATOMIC_RELAXED);
  if (!sum || !sum_before || sum < sum_before) return;
  if (before < disturbed || now - before > kOldSumNs) return;  // ranks slept in that time
  if (others_ran(sum - sum_before, now - before, own_cpus())) assume_others(thread.signs.add(now));
}

void yield_thread(Thread& thread, uint64_t before) {
  real_yield();
  const uint64_t after = now_ns();
  count(myself->polls);
  count(myself->yields);
  if (after - before >= kLongYieldNs) look_at_long_yield(thread, after);
}

void refresh(Thread& thread, uint64_t now) {
  const uint32_t processes = __atomic_load_n(&page->processes, __ATOMIC_ACQUIRE);
  if (processes == thread.processes && now - thread.refreshed_ns < kRefreshNs) return;
  thread.refreshed_ns = now;
  thread.processes = processes;
  note_cpus();
  const uint32_t entries = processes < PLAIT_WAIT_PROCESSES ? processes : PLAIT_WAIT_PROCESSES;
  thread.crowded = is_crowded(page->process, entries, my_index);
}

void wait_automatically(Thread& thread) {
  // A thread with a CPU for itself looks at the clock now and then only.
  if (thread.pauses != 0) return pause_thread(thread);
  const uint64_t now = now_ns();
  const uint64_t waited = thread.wait.poll(now, plait_preload_access()->mpi_ticks());
  refresh(thread, now);
  const bool disturbed = now < __atomic_load_n(&page->disturbed_until_ns, __ATOMIC_RELAXED);
  switch (automatic_action(thread.crowded, disturbed, waited)) {
    case Action::sleep:
      return sleep_thread(sleep_ns(waited));
    case Action::yield:
      return yield_thread(thread, now);
    case Action::pause:
      if (disturbed) {  // the next poll may have to sleep
        pause_cpu();
        count(myself->polls);
        return count(myself->pauses);
      }
      look_at_displaced(thread, now);
      return pause_thread(thread);
  }
}

void wait_once() {
  Thread& thread = mine;
  switch (policy) {
    case PLAIT_WAIT_SPIN:
      return count(myself->polls);
    case PLAIT_WAIT_PAUSE:
      return pause_thread(thread);
    case PLAIT_WAIT_SLEEP:
      return sleep_thread(kFixedSleepNs);
    case PLAIT_WAIT_YIELD:
      real_yield();
      count(myself->polls);
      return count(myself->yields);
    case PLAIT_WAIT_AUTOMATIC:
    case PLAIT_WAIT_NONE:
      return wait_automatically(thread);
  }
}

}  // namespace

extern "C" void plait_wait_polled(const void* caller) {
  if (__atomic_load_n(&library_yields, __ATOMIC_RELAXED) || !waits_here()) return;
  if (polls_seen < kPollsSeen) {
    ++polls_seen;
    return;
  }
  if (!calls_from_mpi(caller)) return;
  const int error = errno;
  wait_once();
  errno = error;
}

extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
  if (!waits_here() || !calls_from_mpi(__builtin_return_address(0))) return real_yield();
  __atomic_store_n(&library_yields, true, __ATOMIC_RELAXED);
  const int error = errno;
  wait_once();
  errno = error;
  return 0;
}
