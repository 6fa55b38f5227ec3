// SPDX-License-Identifier: BSD-3-Clause
// Creates, maps and fills the check file of the observed process.
#include "preload/check/log.hpp"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <initializer_list>

#include "preload/handle_map.hpp"
#include "preload/record_file.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload {

plait_check_header* check_file;
int check_lock;
char* check_sections[PLAIT_CHECK_SECTIONS];

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kDefaultBytes = 1ULL << 30;  // unless PLAIT_CHECK_LIMIT is set
constexpr uint64_t kMostAtOnce = 16;            // blocks that a section gets before it needs them

// By plait_check_section.
constexpr uint64_t kEntryBytes[PLAIT_CHECK_SECTIONS] = {sizeof(plait_check_thread),
                                                        sizeof(plait_check_comm),
                                                        sizeof(plait_check_type),
                                                        sizeof(plait_check_part),
                                                        sizeof(char),
                                                        sizeof(plait_check_object),
                                                        sizeof(plait_check_finding),
                                                        sizeof(uint64_t),
                                                        sizeof(plait_check_op),
                                                        0};
constexpr uint64_t kUsedSections = PLAIT_CHECK_OPS + 1;

static_assert(sizeof(plait_check_header) % kPage == 0, "blocks are mapped");

char path[PATH_MAX];
uint64_t permitted;                     // bytes of the file, and of each section's addresses
uint64_t mapped[PLAIT_CHECK_SECTIONS];  // bytes of each section so far

// A process whose addresses are limited gets a quarter of them, which all sections share.
uint64_t permitted_bytes() {
  const char* asked = getenv("PLAIT_CHECK_LIMIT");
  uint64_t bytes = asked ? strtoull(asked, nullptr, 10) : kDefaultBytes;
  rlimit limit;
  if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < bytes) bytes = limit.rlim_cur;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur / 4 / kUsedSections < bytes)
    bytes = limit.rlim_cur / 4 / kUsedSections;
  return bytes;
}

uint64_t block_bytes_for(uint64_t bytes) {
  uint64_t block = PLAIT_CHECK_BLOCK_BYTES;
  while (block * PLAIT_CHECK_BLOCKS < bytes) block *= 2;
  return block;
}

void refuse(int error) {
  fprintf(stderr, "plait: cannot write %s: %s; this process is not checked\n", path,
          strerror(error));
}

// Lets the file grow and maps its new part there. A full disk is an error now, not a SIGBUS later.
// No descriptor is kept, because programs close those that they did not open.
int extend(int file, uint64_t offset, uint64_t bytes, char* where) {
  const int error = reserve(file, offset, bytes);
  if (error) return error;
  void* got = mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                   static_cast<off_t>(offset));
  return got == MAP_FAILED ? errno : 0;
}

bool reserve_addresses() {
  for (uint64_t i = 0; i < kUsedSections; ++i) {
    void* room =
        mmap(nullptr, permitted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return false;
    check_sections[i] = static_cast<char*>(room);
  }
  return true;
}

// Gives a section at least `wanted` more bytes.
bool grow(plait_check_section section, uint64_t wanted) {
  const uint64_t block = check_file->block_bytes;
  const uint64_t first = check_file->blocks;
  const uint64_t least = (wanted + block - 1) / block;
  const uint64_t left = (permitted - sizeof(plait_check_header)) / block - first;
  uint64_t blocks = mapped[section] / block / 4;
  if (blocks > kMostAtOnce) blocks = kMostAtOnce;
  if (blocks < least || blocks > left) blocks = least;
  if (blocks > left) return false;
  const int file = open_own_file(path);
  if (file < 0) return false;
  const int error = extend(file, sizeof(plait_check_header) + first * block, blocks * block,
                           check_sections[section] + mapped[section]);
  uncancelled::close(file);
  if (error) return false;
  memset(check_file->owners + first, section, blocks);
  mapped[section] += blocks * block;
  __atomic_store_n(&check_file->blocks, static_cast<uint32_t>(first + blocks), __ATOMIC_RELEASE);
  return true;
}

}  // namespace

bool create_check_file() {
  if (!record_path(".chk", path, sizeof path)) return false;
  const uint64_t bytes = permitted_bytes();
  const uint64_t block = block_bytes_for(bytes);
  permitted = bytes / block * block;
  // Each section that is used needs a block.
  if (permitted < (kUsedSections + 1) * block) return refuse(EFBIG), false;
  const int file = create_own_file(path);
  if (file < 0) return refuse(errno), false;
  void* header = MAP_FAILED;
  int error = reserve(file, 0, sizeof(plait_check_header));
  if (!error) {
    header = mmap(nullptr, sizeof(plait_check_header), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (header == MAP_FAILED || !reserve_addresses()) error = errno;
  }
  uncancelled::close(file);
  if (error || header == MAP_FAILED) {
    refuse(error);
    unlink(path);
    return false;
  }
  check_file = static_cast<plait_check_header*>(header);
  check_file->version = PLAIT_CHECK_VERSION;
  check_file->header_bytes = sizeof *check_file;
  check_file->block_bytes = block;
  check_file->pid = getpid();
  for (int i = 0; i < PLAIT_CHECK_SECTIONS; ++i)
    check_file->sections[i].entry_bytes = static_cast<uint32_t>(kEntryBytes[i]);
  // Entry 0 means "unknown", "" or "none".
  for (const auto section :
       {PLAIT_CHECK_COMMS, PLAIT_CHECK_TYPES, PLAIT_CHECK_NAMES, PLAIT_CHECK_COUNTS})
    if (check_append(section)) check_publish(section);
  __atomic_store_n(&check_file->magic, PLAIT_CHECK_MAGIC, __ATOMIC_RELEASE);
  return true;
}

void* check_append(plait_check_section section, uint64_t count) {
  auto& header = check_file->sections[section];
  const uint64_t begin = header.count * header.entry_bytes;
  const uint64_t end = begin + count * header.entry_bytes;
  // An index has 32 bits.
  const bool room = header.count + count < UINT32_MAX &&
                    (end <= mapped[section] || grow(section, end - mapped[section]));
  if (!room) {
    if (header.lost == 0) note("the check file is full: further calls are not compared");
    ++header.lost;
    check_file->ops_before_limit = 1;
    return nullptr;
  }
  char* entry = check_sections[section] + begin;
  memset(entry, 0, count * header.entry_bytes);
  return entry;
}

void check_publish(plait_check_section section, uint64_t count) {
  auto& published = check_file->sections[section].count;
  __atomic_store_n(&published, published + count, __ATOMIC_RELEASE);
}

uint32_t keep_check_name(const char* text) {
  static HandleMap known_names;
  const uint64_t hash = plait_hash_text(text);
  const uint32_t known = known_names.find(hash);
  if (known != HandleMap::kAbsent) return known;
  const uint64_t bytes = strlen(text) + 1;
  auto* copy = static_cast<char*>(check_append(PLAIT_CHECK_NAMES, bytes));
  if (!copy) return 0;
  memcpy(copy, text, bytes);
  const uint32_t offset = check_count(PLAIT_CHECK_NAMES);
  check_publish(PLAIT_CHECK_NAMES, bytes);
  known_names.set(hash, offset);
  return offset;
}

}  // namespace plait::preload
