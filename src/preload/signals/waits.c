/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that wait and would return early with EINTR when a sample is taken: the signal is held
 * back during the call. Samples of CPU time lose nothing, because a thread that waits uses none. */
#include <aio.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "preload/signals/hold.h"

PLAIT_HELD(int, nanosleep, (const struct timespec* time, struct timespec* rest), (time, rest), 1)
PLAIT_HELD(int, clock_nanosleep,
           (clockid_t clock, int flags, const struct timespec* time, struct timespec* rest),
           (clock, flags, time, rest), 1)
PLAIT_HELD(int, usleep, (useconds_t time), (time), 1)
PLAIT_HELD(unsigned, sleep, (unsigned time), (time), 1)
PLAIT_HELD(int, thrd_sleep, (const struct timespec* time, struct timespec* rest), (time, rest), 1)
PLAIT_HELD(int, pause, (void), (), 1)

PLAIT_HELD(int, poll, (struct pollfd * files, nfds_t count, int most), (files, count, most),
           most != 0)
PLAIT_HELD(int, select, (int count, fd_set* in, fd_set* out, fd_set* other, struct timeval* most),
           (count, in, out, other, most), !most || most->tv_sec || most->tv_usec)
PLAIT_HELD(int, epoll_wait, (int poll, struct epoll_event* events, int count, int most),
           (poll, events, count, most), most != 0)

/* With a mask of their own. */
PLAIT_EXPORT int ppoll(struct pollfd* files, nfds_t count, const struct timespec* most,
                       const sigset_t* mask) {
  sigset_t copy;
  if (mask) return PLAIT_REAL(ppoll)(files, count, most, plait_with_kept(mask, &copy));
  if (!plait_kept_signal) return PLAIT_REAL(ppoll)(files, count, most, mask);
  plait_hold();
  const int result = PLAIT_REAL(ppoll)(files, count, most, mask);
  plait_let_go();
  return result;
}

PLAIT_EXPORT int pselect(int count, fd_set* in, fd_set* out, fd_set* other,
                         const struct timespec* most, const sigset_t* mask) {
  sigset_t copy;
  if (mask) return PLAIT_REAL(pselect)(count, in, out, other, most, plait_with_kept(mask, &copy));
  if (!plait_kept_signal) return PLAIT_REAL(pselect)(count, in, out, other, most, mask);
  plait_hold();
  const int result = PLAIT_REAL(pselect)(count, in, out, other, most, mask);
  plait_let_go();
  return result;
}

PLAIT_EXPORT int epoll_pwait(int poll, struct epoll_event* events, int count, int most,
                             const sigset_t* mask) {
  sigset_t copy;
  if (!mask) return epoll_wait(poll, events, count, most);
  return PLAIT_REAL(epoll_pwait)(poll, events, count, most, plait_with_kept(mask, &copy));
}

/* As programs that were compiled with checks of buffers call them. */
int __poll_chk(struct pollfd* files, nfds_t count, int most, size_t bytes);
PLAIT_HELD(int, __poll_chk, (struct pollfd * files, nfds_t count, int most, size_t bytes),
           (files, count, most, bytes), most != 0)

PLAIT_HELD(int, sem_timedwait, (sem_t * semaphore, const struct timespec* until),
           (semaphore, until), 1)
PLAIT_HELD(int, semop, (int set, struct sembuf* operations, size_t count), (set, operations, count),
           1)
PLAIT_HELD(int, semtimedop,
           (int set, struct sembuf* operations, size_t count, const struct timespec* most),
           (set, operations, count, most), 1)
PLAIT_HELD(int, msgsnd, (int queue, const void* message, size_t bytes, int flags),
           (queue, message, bytes, flags), 1)
PLAIT_HELD(ssize_t, msgrcv, (int queue, void* message, size_t bytes, long type, int flags),
           (queue, message, bytes, type, flags), 1)
PLAIT_HELD(int, aio_suspend,
           (const struct aiocb* const list[], int count, const struct timespec* most),
           (list, count, most), 1)
