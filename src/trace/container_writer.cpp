// SPDX-License-Identifier: BSD-3-Clause
// Writes a container of records as a stream of bytes. Freestanding, see the header.
#include "trace/container_writer.hpp"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/crc.hpp"

namespace plait::trace {

namespace {

int by_name(const void* a, const void* b) {
  return strcmp(static_cast<const plait_container_member*>(a)->name,
                static_cast<const plait_container_member*>(b)->name);
}

/// Not pread(), at which a thread of an observed program could be cancelled.
ssize_t read_at(int file, char* into, std::uint64_t bytes, std::uint64_t offset) {
  ssize_t got = 0;
  do got = syscall(SYS_pread64, file, into, bytes, static_cast<off_t>(offset));
  while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

ContainerWriter::ContainerWriter(const Room& room, PutBytes put_bytes, void* context)
    : room_(room), put_(put_bytes), context_(context) {
  const plait_container_header header{PLAIT_CONTAINER_MAGIC, PLAIT_CONTAINER_VERSION,
                                      sizeof header};
  put(&header, sizeof header);
}

void ContainerWriter::put(const void* data, std::uint64_t bytes) {
  if (failed_ || bytes == 0) return;
  failed_ = !put_(context_, data, bytes);
  at_ += bytes;
}

void ContainerWriter::pad() {
  const std::uint64_t behind = at_ % PLAIT_CONTAINER_ALIGNMENT;
  if (behind == 0) return;
  memset(room_.buffer, 0, PLAIT_CONTAINER_ALIGNMENT);
  put(room_.buffer, PLAIT_CONTAINER_ALIGNMENT - behind);
}

bool ContainerWriter::add(const char* name, int file, std::uint64_t offset, std::uint64_t bytes) {
  if (failed_ || count_ == room_.most || strlen(name) >= PLAIT_CONTAINER_NAME) return false;
  plait_container_member& member = room_.members[count_];
  pad();
  const std::uint64_t begin = at_;
  std::uint64_t done = 0;
  std::uint32_t crc = 0;
  bool complete = false;
  while (!complete && !failed_) {
    const std::uint64_t left = bytes - done;
    const ssize_t got = read_at(
        file, room_.buffer, left < room_.buffer_bytes ? left : room_.buffer_bytes, offset + done);
    if (got < 0) return false;  // what was written of it belongs to no member
    crc = crc32c(room_.buffer, static_cast<std::uint64_t>(got), crc);
    put(room_.buffer, static_cast<std::uint64_t>(got));
    done += static_cast<std::uint64_t>(got);
    complete = got == 0 || done == bytes;
  }
  if (failed_) return false;
  strcpy(member.name, name);
  member.offset = begin;
  member.bytes = done;
  member.crc = crc;
  ++count_;
  return true;
}

bool ContainerWriter::end() {
  pad();
  qsort(room_.members, count_, sizeof *room_.members, &by_name);
  const std::uint64_t bytes = sizeof *room_.members * std::uint64_t{count_};
  const plait_container_trailer trailer{at_, count_, crc32c(room_.members, bytes),
                                        PLAIT_CONTAINER_TRAILER_MAGIC};
  put(room_.members, bytes);
  put(&trailer, sizeof trailer);
  return !failed_;
}

}  // namespace plait::trace
