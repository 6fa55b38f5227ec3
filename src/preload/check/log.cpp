// SPDX-License-Identifier: BSD-3-Clause
// Creates, maps and fills the check file of the observed process.
#include "preload/check/log.hpp"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <initializer_list>

namespace plait::preload {

plait_check_header* check_file;
int check_lock;

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kStep = 64 * kPage;          // room is reserved in steps of this
constexpr uint64_t kDefaultBytes = 1ULL << 30;  // unless PLAIT_CHECK_LIMIT is set
constexpr uint64_t kLeastBytes = 128ULL << 20;  // most of it is never touched

struct Table {
  uint64_t entry_bytes, capacity;
};

// How many entries each section may get; indexed by plait_check_section. OPS gets the rest.
constexpr Table kTables[PLAIT_CHECK_SECTIONS] = {
    {sizeof(plait_check_thread), 1 << 10},
    {sizeof(plait_check_comm), 1 << 16},
    {sizeof(plait_check_type), 1 << 16},
    {sizeof(plait_check_run), 1 << 18},
    {sizeof(char), 1 << 16},
    {sizeof(plait_check_object), 1 << 20},
    {sizeof(plait_check_finding), 1 << 12},
    {sizeof(uint64_t), 1 << 22},
    {sizeof(plait_check_op), 0},
    {0, 0},
};

char path[PATH_MAX];
uint64_t promised[PLAIT_CHECK_SECTIONS];  // bytes of each section that the file system has promised

uint64_t pages(uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

uint64_t permitted_bytes() {
  const char* asked = getenv("PLAIT_CHECK_LIMIT");
  uint64_t bytes = asked ? strtoull(asked, nullptr, 10) : kDefaultBytes;
  if (bytes < kLeastBytes) bytes = kLeastBytes;
  rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < bytes) bytes = limit.rlim_cur;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur / 4 < bytes) bytes = limit.rlim_cur / 4;
  return bytes / kPage * kPage;
}

void refuse(int error) {
  fprintf(stderr, "plait: cannot write %s: %s; this process is not checked\n", path,
          strerror(error));
}

// See recorder.cpp: a full disk is an error now, not a SIGBUS later, and no descriptor is kept.
bool promise(uint64_t offset, uint64_t bytes) {
  const int file = open_record_file(path, O_RDWR);
  const int error =
      file < 0 ? errno
               : posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  if (file >= 0) close(file);
  return error == 0;
}

}  // namespace

bool create_check_file() {
  if (!record_path(".chk", path, sizeof path)) return false;
  uint64_t offset = pages(sizeof(plait_check_header));
  plait_check_section_header sections[PLAIT_CHECK_SECTIONS] = {};
  for (int i = 0; i < PLAIT_CHECK_SECTIONS; ++i) {
    const Table& table = kTables[i];
    sections[i] = {offset, table.capacity, 0, static_cast<uint32_t>(table.entry_bytes), 0};
    offset += pages(table.entry_bytes * table.capacity);
  }
  const uint64_t bytes = permitted_bytes();
  if (bytes < offset + kStep) return refuse(EFBIG), false;
  auto& ops = sections[PLAIT_CHECK_OPS];
  ops.offset = offset;
  ops.capacity = (bytes - offset) / sizeof(plait_check_op);
  const int file = open_record_file(path, O_RDWR | O_CREAT | O_TRUNC);
  if (file < 0) return refuse(errno), false;
  void* mapping = MAP_FAILED;
  int error = ftruncate(file, static_cast<off_t>(bytes)) ? errno : 0;
  if (!error) error = posix_fallocate(file, 0, static_cast<off_t>(sections[0].offset));
  if (!error) {
    mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapping == MAP_FAILED) error = errno;
  }
  close(file);
  if (error) {
    refuse(error);
    unlink(path);
    return false;
  }
  auto* header = static_cast<plait_check_header*>(mapping);
  memcpy(header->sections, sections, sizeof sections);
  header->version = PLAIT_CHECK_VERSION;
  header->header_bytes = sizeof *header;
  header->file_bytes = bytes;
  header->pid = getpid();
  check_file = header;
  // Entry 0 means "unknown", "" or "none".
  for (const auto section :
       {PLAIT_CHECK_COMMS, PLAIT_CHECK_TYPES, PLAIT_CHECK_NAMES, PLAIT_CHECK_COUNTS})
    if (check_append(section)) check_publish(section);
  __atomic_store_n(&header->magic, PLAIT_CHECK_MAGIC, __ATOMIC_RELEASE);
  return true;
}

void trim_check_file() {
  if (!check_file) return;
  // The library may have ended the process in a call that this thread made under the lock. The file
  // then keeps its length.
  constexpr int kPatience = 1 << 20;
  for (int tries = 0; __atomic_exchange_n(&check_lock, 1, __ATOMIC_ACQUIRE); ++tries)
    if (tries == kPatience) return;
  const auto& ops = check_file->sections[PLAIT_CHECK_OPS];
  const uint64_t used = pages(ops.offset + ops.count * ops.entry_bytes);
  if (trim_record_file(path, used)) check_file->file_bytes = used;
  check_file = nullptr;
  __atomic_store_n(&check_lock, 0, __ATOMIC_RELEASE);
}

void* check_append(plait_check_section section, uint64_t count) {
  auto& header = check_file->sections[section];
  const uint64_t end = (header.count + count) * header.entry_bytes;
  bool room = header.count + count <= header.capacity;
  if (room && end > promised[section]) {
    const uint64_t most = pages(header.capacity * header.entry_bytes);
    uint64_t wanted = (end + kStep - 1) / kStep * kStep;
    if (wanted > most) wanted = most;
    room = promise(header.offset + promised[section], wanted - promised[section]);
    if (room) promised[section] = wanted;
  }
  if (!room) {
    if (header.lost == 0) note("the check file is full: further calls are not compared");
    ++header.lost;
    check_file->ops_before_limit = 1;
    return nullptr;
  }
  char* entry =
      reinterpret_cast<char*>(check_file) + header.offset + header.count * header.entry_bytes;
  memset(entry, 0, count * header.entry_bytes);
  return entry;
}

void check_publish(plait_check_section section, uint64_t count) {
  auto& published = check_file->sections[section].count;
  __atomic_store_n(&published, published + count, __ATOMIC_RELEASE);
}

}  // namespace plait::preload
