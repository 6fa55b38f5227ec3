/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers of data that a sample cut short: they are continued.
 *
 * The kernel restarts a transfer that has not begun, except one with a time limit, and ends one
 * that has begun. To hold the signal back during each transfer would cost two system calls each. */
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/signals/hold.h"

/* True if the transfer that began with so many interruptions failed because of a sample. Without a
 * time limit, which is SO_RCVTIMEO or SO_SNDTIMEO, it would have been restarted: then a signal of
 * the program ended it. */
static int was_refused(unsigned before, ssize_t result, int file, int limit) {
  if (result >= 0 || errno != EINTR || plait_interruptions == before) return 0;
  struct timeval most = {0, 0};
  socklen_t bytes = sizeof most;
  const int known = getsockopt(file, SOL_SOCKET, limit, &most, &bytes) == 0;
  errno = EINTR;
  return known && (most.tv_sec || most.tv_usec);
}

/* True if it stopped before its end because of one. */
static int was_cut(unsigned before, ssize_t result, size_t wanted) {
  return result > 0 && (size_t)result < wanted && plait_interruptions != before;
}

static size_t bytes_of(const struct iovec* parts, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; ++i) bytes += parts[i].iov_len;
  return bytes;
}

PLAIT_EXPORT ssize_t write(int file, const void* data, size_t bytes) {
  const unsigned before = plait_interruptions;
  const ssize_t done = PLAIT_REAL(write)(file, data, bytes);
  if (!was_cut(before, done, bytes)) return done;
  const int error = errno;
  plait_hold();
  const ssize_t more = PLAIT_REAL(write)(file, (const char*)data + done, bytes - (size_t)done);
  plait_let_go();
  errno = error;
  return more > 0 ? done + more : done;
}

/* Sends what is behind the first `done` bytes. */
static ssize_t send_rest(int file, const struct iovec* parts, size_t count, ssize_t done, int flags,
                         int is_socket) {
  const int error = errno;
  ssize_t sent = done;
  size_t skipped = (size_t)done;
  plait_hold();
  for (size_t i = 0; i < count; ++i) {
    if (skipped >= parts[i].iov_len) {
      skipped -= parts[i].iov_len;
      continue;
    }
    const char* from = (const char*)parts[i].iov_base + skipped;
    const size_t left = parts[i].iov_len - skipped;
    skipped = 0;
    const ssize_t more =
        is_socket ? PLAIT_REAL(send)(file, from, left, flags) : PLAIT_REAL(write)(file, from, left);
    if (more > 0) sent += more;
    if (more < 0 || (size_t)more < left) break;
  }
  plait_let_go();
  errno = error;
  return sent;
}

PLAIT_EXPORT ssize_t writev(int file, const struct iovec* parts, int count) {
  const unsigned before = plait_interruptions;
  const ssize_t done = PLAIT_REAL(writev)(file, parts, count);
  if (plait_interruptions == before || done <= 0) return done;
  const size_t all = bytes_of(parts, (size_t)count);
  return was_cut(before, done, all) ? send_rest(file, parts, (size_t)count, done, 0, 0) : done;
}

PLAIT_EXPORT ssize_t send(int file, const void* data, size_t bytes, int flags) {
  const unsigned before = plait_interruptions;
  ssize_t done = PLAIT_REAL(send)(file, data, bytes, flags);
  if (was_refused(before, done, file, SO_SNDTIMEO)) {
    plait_hold();
    done = PLAIT_REAL(send)(file, data, bytes, flags);
    plait_let_go();
  }
  const struct iovec part = {(void*)data, bytes};
  return was_cut(before, done, bytes) ? send_rest(file, &part, 1, done, flags, 1) : done;
}

PLAIT_EXPORT ssize_t sendmsg(int file, const struct msghdr* message, int flags) {
  const unsigned before = plait_interruptions;
  ssize_t done = PLAIT_REAL(sendmsg)(file, message, flags);
  if (was_refused(before, done, file, SO_SNDTIMEO)) {
    plait_hold();
    done = PLAIT_REAL(sendmsg)(file, message, flags);
    plait_let_go();
  }
  if (plait_interruptions == before || done <= 0) return done;
  const size_t all = bytes_of(message->msg_iov, message->msg_iovlen);
  return was_cut(before, done, all)
             ? send_rest(file, message->msg_iov, message->msg_iovlen, done, flags, 1)
             : done;
}

PLAIT_EXPORT ssize_t recv(int file, void* data, size_t bytes, int flags) {
  const unsigned before = plait_interruptions;
  ssize_t done = PLAIT_REAL(recv)(file, data, bytes, flags);
  const int refused = was_refused(before, done, file, SO_RCVTIMEO);
  if (!refused && !((flags & MSG_WAITALL) && was_cut(before, done, bytes))) return done;
  const int error = errno;
  const size_t from = refused ? 0 : (size_t)done;
  plait_hold();
  const ssize_t more = PLAIT_REAL(recv)(file, (char*)data + from, bytes - from, flags);
  plait_let_go();
  if (refused) return more;
  errno = error;
  return more > 0 ? done + more : done;
}

/* A function that receives from `file`, of which only a failure is repeated. */
#define PLAIT_REPEATED(type, name, parameters, arguments)               \
  PLAIT_EXPORT type name parameters {                                   \
    const unsigned before = plait_interruptions;                        \
    const type result = PLAIT_REAL(name) arguments;                     \
    if (!was_refused(before, result, file, SO_RCVTIMEO)) return result; \
    plait_hold();                                                       \
    const type again = PLAIT_REAL(name) arguments;                      \
    plait_let_go();                                                     \
    return again;                                                       \
  }

PLAIT_REPEATED(ssize_t, read, (int file, void* data, size_t bytes), (file, data, bytes))
PLAIT_REPEATED(ssize_t, readv, (int file, const struct iovec* parts, int count),
               (file, parts, count))
PLAIT_REPEATED(ssize_t, recvmsg, (int file, struct msghdr* message, int flags),
               (file, message, flags))
PLAIT_REPEATED(ssize_t, recvfrom,
               (int file, void* data, size_t bytes, int flags, struct sockaddr* from,
                socklen_t* length),
               (file, data, bytes, flags, from, length))
PLAIT_REPEATED(int, accept, (int file, struct sockaddr* from, socklen_t* length),
               (file, from, length))
PLAIT_REPEATED(int, accept4, (int file, struct sockaddr* from, socklen_t* length, int flags),
               (file, from, length, flags))
