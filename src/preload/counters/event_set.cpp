// SPDX-License-Identifier: BSD-3-Clause
// Opens events in groups that the processor can count together, and reads them.
#include "preload/counters/event_set.hpp"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/recorder.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload::counters {

namespace {

constexpr int kHighFile = 512;   // programs expect the low numbers for their own files
constexpr int kMostInGroup = 4;  // hardware counters that most processors count at once
constexpr long kPage = 4096;

int open_event(const Event& event, int leader) {
  perf_event_attr wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.size = sizeof wanted;
  wanted.type = event.type;
  wanted.config = event.config;
  wanted.config1 = event.config1;
  wanted.config2 = event.config2;
  wanted.exclude_kernel = event.user_only;
  wanted.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &wanted, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

int raised(int file) {
  const int high = fcntl(file, F_DUPFD_CLOEXEC, kHighFile);
  const int error = errno;
  uncancelled::close(file);
  errno = error;
  return high;
}

// False: the program closed the event's file, and its number may be one of the program's own files.
bool is_open(const EventSet& set, int i) {
  uint64_t id = 0;
  return set.files[i] && !ioctl(set.files[i] - 1, PERF_EVENT_IOC_ID, &id) && id == set.ids[i];
}

// Without the kernel's part these software events count nothing.
bool counts_only_in_kernel(const Event& event) {
  return event.type == PERF_TYPE_SOFTWARE && (event.config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
                                              event.config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

bool is_forbidden(int error) {
  return error == EACCES || error == EPERM;
}

// A descriptor, or -1 and errno. Tries without the kernel's part if that is forbidden.
int open_permitted(Event& event, int leader) {
  int file = open_event(event, leader);
  if (file >= 0 || !is_forbidden(errno) || event.user_only || counts_only_in_kernel(event))
    return file;
  event.user_only = true;
  file = open_event(event, leader);
  if (file < 0 && is_forbidden(errno)) event.user_only = false;
  return file;
}

uint64_t hardware_counter(uint32_t number) {
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
  return uint64_t{high} << 32 | low;
#else
  (void)number;
  return 0;
#endif
}

}  // namespace

void open_events(Event* events, int count, EventSet* set, int* errors) {
  memset(set, 0, sizeof *set);
  int leader = -1, members = 0;
  for (int i = 0; i < count; ++i) {
    const bool software = events[i].type == PERF_TYPE_SOFTWARE;
    const bool joins = leader >= 0 && software == (events[leader].type == PERF_TYPE_SOFTWARE) &&
                       (software || members < kMostInGroup);
    int file = joins ? open_permitted(events[i], set->files[leader] - 1) : -1;
    const bool leads = file < 0;
    // The processor may not be able to count it together with the others.
    if (leads) file = open_permitted(events[i], -1);
    if (file >= 0) file = raised(file);
    if (file >= 0) ioctl(file, PERF_EVENT_IOC_ID, &set->ids[i]);
    errors[i] = file < 0 ? errno : 0;
    if (file < 0) continue;
    if (leads) leader = i, members = 0;
    ++members;
    set->files[i] = file + 1;
    set->leaders[i] = leader;
  }
}

bool map_pages_of(EventSet* set, int count) {
  bool all = false;
  for (int i = 0; i < count; ++i) {
    if (!set->files[i]) continue;
    void* page = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, set->files[i] - 1, 0);
    plait_counter_value unused;
    const bool readable = page != MAP_FAILED && read_page(static_cast<perf_event_mmap_page*>(page),
                                                          hardware_counter, now_ticks, &unused);
    if (page != MAP_FAILED && !readable) munmap(page, kPage);
    if (!readable) return false;
    set->pages[i] = static_cast<perf_event_mmap_page*>(page);
    all = true;
  }
  return all;
}

void read_events(const EventSet& set, int count, bool from_pages, plait_counter_value* values) {
  memset(values, 0, sizeof *values * static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (!set.files[i]) continue;
    if (from_pages && set.pages[i]) {
      read_page(set.pages[i], hardware_counter, now_ticks, &values[i]);
      continue;
    }
    if (set.leaders[i] != i || !is_open(set, i)) continue;
    struct {
      uint64_t number, enabled_ns, running_ns, values[PLAIT_MOST_COUNTERS];
    } group;
    if (uncancelled::read(set.files[i] - 1, &group, sizeof group) <
        static_cast<ssize_t>(4 * sizeof(uint64_t)))
      continue;
    uint64_t member = 0;
    for (int k = i; k < count; ++k) {
      if (!set.files[k] || set.leaders[k] != i) continue;
      if (member >= group.number) break;
      values[k] = {group.values[member++], group.enabled_ns, group.running_ns};
    }
  }
}

void close_events(EventSet* set, int count) {
  for (int i = 0; i < count; ++i) {
    if (set->pages[i]) munmap(set->pages[i], kPage);
    if (is_open(*set, i)) uncancelled::close(set->files[i] - 1);
  }
  memset(set, 0, sizeof *set);
}

bool read_page(const volatile perf_event_mmap_page* page, uint64_t (*rdpmc)(uint32_t),
               uint64_t (*ticks)(), plait_counter_value* value) {
#if defined(__x86_64__)
  // The kernel changes the page while the thread reads it, and counts the changes in `lock`.
  uint32_t version;
  do {
    version = page->lock;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!page->cap_user_rdpmc) return false;
    uint64_t enabled = page->time_enabled, running = page->time_running;
    const uint32_t index = page->index;
    uint64_t count = static_cast<uint64_t>(page->offset);
    if (page->cap_user_time && enabled != running) {
      const uint64_t cycles = ticks();
      const uint64_t whole = cycles >> page->time_shift;
      const uint64_t rest = cycles & ((uint64_t{1} << page->time_shift) - 1);
      const uint64_t since = page->time_offset + whole * page->time_mult +
                             ((rest * page->time_mult) >> page->time_shift);
      enabled += since;
      if (index) running += since;
    }
    if (index) {
      const unsigned unused = 64u - page->pmc_width;  // the counter has fewer bits than a number
      const auto counted = static_cast<int64_t>(rdpmc(index - 1) << unused) >> unused;
      count += static_cast<uint64_t>(counted);
    }
    *value = {count, enabled, running};
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  } while (page->lock != version);
  return true;
#else
  (void)page, (void)rdpmc, (void)ticks, (void)value;
  return false;
#endif
}

}  // namespace plait::preload::counters
