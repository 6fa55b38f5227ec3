// SPDX-License-Identifier: BSD-3-Clause
// What interrupts a thread for its samples: a timer of the kernel, or perf's clock of CPU time.
#include "preload/sampling/thread_timer.hpp"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/sampling/clocks.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload::sampling {

namespace {

constexpr int kHighFile = 512;  // programs expect the low numbers for their own files

/// A descriptor, or -1. The clock stands still.
int open_perf_clock(int32_t tid, uint64_t period_ns) {
  perf_event_attr wanted;
  memset(&wanted, 0, sizeof wanted);
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_TASK_CLOCK;
  wanted.sample_period = period_ns;
  wanted.wakeup_events = 1;
  wanted.disabled = 1;
  const auto file =
      static_cast<int>(syscall(SYS_perf_event_open, &wanted, tid, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (file < 0) return -1;
  const int high = fcntl(file, F_DUPFD_CLOEXEC, kHighFile);
  uncancelled::close(file);
  return high;
}

bool start_perf_clock(ThreadTimer* timer, int32_t tid, int signal, uint64_t period_ns) {
  const int file = open_perf_clock(tid, period_ns);
  if (file < 0) return false;
  const f_owner_ex owner{F_OWNER_TID, tid};
  timer->file = file + 1;  // before the first signal, which is recognized by it
  if (ioctl(file, PERF_EVENT_IOC_ID, &timer->id) || fcntl(file, F_SETSIG, signal) ||
      fcntl(file, F_SETOWN_EX, &owner) ||
      fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_ASYNC | O_NONBLOCK) ||
      ioctl(file, PERF_EVENT_IOC_REFRESH, 1)) {
    timer->file = 0;
    uncancelled::close(file);
    return false;
  }
  return true;
}

bool start_kernel_timer(ThreadTimer* timer, clockid_t clock, int32_t tid, int signal, void* data,
                        uint64_t period_ns) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal;
  event.sigev_value.sival_ptr = data;
#if defined(sigev_notify_thread_id)
  event.sigev_notify_thread_id = tid;
#else
  event._sigev_un._tid = tid;
#endif
  if (timer_create(clock, &event, &timer->timer)) return false;
  itimerspec when{};
  when.it_interval.tv_sec = static_cast<time_t>(period_ns / 1'000'000'000);
  when.it_interval.tv_nsec = static_cast<long>(period_ns % 1'000'000'000);
  when.it_value = when.it_interval;
  if (!timer_settime(timer->timer, 0, &when, nullptr)) return true;
  timer_delete(timer->timer);
  return false;
}

}  // namespace

bool start_timer(ThreadTimer* timer, SampleClock clock, int32_t tid, int signal, void* data,
                 uint64_t period_ns) {
  timer->file = 0;
  // Without room for another file, a timer does it.
  const clockid_t of_timer = clock == SampleClock::wall ? CLOCK_MONOTONIC : cpu_clock_of(tid);
  timer->runs = (clock == SampleClock::perf && start_perf_clock(timer, tid, signal, period_ns)) ||
                start_kernel_timer(timer, of_timer, tid, signal, data, period_ns);
  return timer->runs;
}

void stop_timer(ThreadTimer* timer) {
  if (timer->runs && !timer->file) timer_delete(timer->timer);
  forget_timer(timer);
}

void forget_timer(ThreadTimer* timer) {
  uint64_t id = 0;
  const int file = timer->file - 1;
  if (timer->file && !ioctl(file, PERF_EVENT_IOC_ID, &id) && id == timer->id)
    uncancelled::close(file);
  timer->file = 0;
  timer->runs = false;
}

bool is_of_perf(const ThreadTimer& timer, const siginfo_t& info) {
  return timer.file && (info.si_code == POLL_HUP || info.si_code == POLL_IN) &&
         info.si_fd == timer.file - 1;
}

void continue_timer(const ThreadTimer& timer) {
  if (timer.file) ioctl(timer.file - 1, PERF_EVENT_IOC_REFRESH, 1);
}

bool perf_clock_is_permitted() {
  const int file = open_perf_clock(0, 1'000'000'000);
  if (file >= 0) uncancelled::close(file);
  return file >= 0;
}

}  // namespace plait::preload::sampling
