// SPDX-License-Identifier: BSD-3-Clause
// Creates the event file, grows it, writes chunks.
#include "preload/trace/event_file.hpp"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/record_file.hpp"
#include "preload/recorder.hpp"
#include "preload/uncancelled.hpp"
#include "trace/crc.hpp"

namespace plait::preload::trace {

plait_events_header* events_header;

namespace {

constexpr uint64_t kHeaderBytes = 4096;
constexpr uint64_t kFullLimit = 2ULL << 30, kRingLimit = 64ULL << 20;
constexpr uint32_t kLeastChunks = 4;

char path[PATH_MAX];
uint32_t places;      // given out so far
uint64_t page_bytes;  // of this machine
bool replaced;        // the file at `path` has no places any more

uint64_t offset_of(uint32_t place) {
  return kHeaderBytes + uint64_t{place} * kChunkBytes;
}

void refuse(int error) {
  char text[PATH_MAX + 128];
  snprintf(text, sizeof text, "cannot write the trace %s: %s; the profile is still recorded", path,
           strerror(error));
  note(text);
}

uint64_t limit_bytes(plait_trace_mode mode) {
  const char* asked = getenv("PLAIT_TRACE_LIMIT");
  const uint64_t bytes = asked ? strtoull(asked, nullptr, 10) : 0;
  return bytes ? bytes : mode == PLAIT_TRACE_RING ? kRingLimit : kFullLimit;
}

// Opens the file to write to a place. The test comes after it, because another thread may replace
// the file at any time.
int open_for_place() {
  const int file = open_own_file(path);
  if (file < 0 || !__atomic_load_n(&replaced, __ATOMIC_SEQ_CST)) return file;
  uncancelled::close(file);
  return -1;
}

void* map_part(int file, uint64_t offset, uint64_t bytes) {
  const uint64_t before = offset % page_bytes;
  void* memory = mmap(nullptr, bytes + before, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      static_cast<off_t>(offset - before));
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory) + before;
}

// The CRC of the CRCs of a chunk's columns, each of which may be shorter than its capacity.
uint32_t crc_of(const plait_chunk_header& chunk) {
  using plait::trace::crc32c;
  const auto* shapes = reinterpret_cast<const uint32_t*>(&chunk + 1);
  const uint32_t* words = shapes + 3 * uint64_t{chunk.capacity};
  uint32_t three[3];
  plait::trace::crc32c_of_three(
      {shapes, shapes + chunk.capacity, shapes + 2 * uint64_t{chunk.capacity}},
      sizeof(uint32_t) * uint64_t{chunk.events}, three);
  const uint32_t all[4] = {three[0], three[1], three[2],
                           crc32c(words, sizeof(uint32_t) * uint64_t{chunk.words})};
  return crc32c(all, sizeof all);
}

}  // namespace

bool create_event_file(plait_trace_mode mode) {
  if (!record_path(".evt", path, sizeof path)) return false;
  page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (!permits_file_of(offset_of(kLeastChunks))) return refuse(EFBIG), false;
  const int file = create_own_file(path);
  if (file < 0) return refuse(errno), false;
  const int error = reserve(file, 0, kHeaderBytes);
  void* header = error ? nullptr : map_part(file, 0, kHeaderBytes);
  uncancelled::close(file);
  if (!header) {
    refuse(error ? error : ENOMEM);
    unlink(path);
    return false;
  }
  auto* made = static_cast<plait_events_header*>(header);
  const uint64_t chunks = limit_bytes(mode) / kChunkBytes;
  made->version = PLAIT_EVENTS_VERSION;
  made->header_bytes = kHeaderBytes;
  made->chunk_bytes = kChunkBytes;
  made->mode = mode;
  made->chunk_limit = chunks < kLeastChunks ? kLeastChunks
                      : chunks > INT32_MAX  ? INT32_MAX
                                            : static_cast<uint32_t>(chunks);
  made->pid = getpid();
  __atomic_store_n(&made->magic, PLAIT_EVENTS_MAGIC, __ATOMIC_RELEASE);
  events_header = made;
  return true;
}

void remove_event_file() {
  unlink(path);
}

const char* event_file_path() {
  return events_header ? path : "";
}

bool replace_event_file(const char* by) {
  __atomic_store_n(&replaced, true, __ATOMIC_SEQ_CST);
  return rename(by, path) == 0;
}

uint32_t take_place(bool beyond_limit) {
  const uint32_t place = __atomic_fetch_add(&places, 1, __ATOMIC_RELAXED);
  const bool fits = beyond_limit || place < events_header->chunk_limit;
  if (fits && permits_file_of(offset_of(place + 1))) return place;
  __atomic_fetch_sub(&places, 1, __ATOMIC_RELAXED);
  return kNoPlace;
}

plait_chunk_header* map_window(uint32_t place) {
  const int file = open_for_place();
  if (file < 0) return nullptr;
  const uint64_t offset = offset_of(place);
  void* window =
      reserve(file, offset, kChunkBytes) == 0 ? map_part(file, offset, kChunkBytes) : nullptr;
  uncancelled::close(file);
  if (!window) return nullptr;
#if defined(MADV_POPULATE_WRITE)
  const uint64_t before = offset_of(place) % page_bytes;
  madvise(static_cast<char*>(window) - before, kChunkBytes + before, MADV_POPULATE_WRITE);
#endif
  memset(window, 0, sizeof(plait_chunk_header));
  return static_cast<plait_chunk_header*>(window);
}

void unmap_window(plait_chunk_header* window) {
  const auto address = reinterpret_cast<uintptr_t>(window);
  const uint64_t before = address % page_bytes;
  munmap(reinterpret_cast<void*>(address - before), kChunkBytes + before);
}

bool write_chunk(const plait_chunk_header& window, uint32_t place) {
  plait_chunk_header closed = window;
  closed.closed = 1;
  closed.crc = crc_of(window);
  closed.capacity = window.events;
  closed.word_capacity = window.words;
  auto* shapes = const_cast<uint32_t*>(reinterpret_cast<const uint32_t*>(&window + 1));
  const uint64_t capacity = window.capacity, column = sizeof(uint32_t) * uint64_t{window.events};
  const iovec parts[5] = {{&closed, sizeof closed},
                          {shapes, column},
                          {shapes + capacity, column},
                          {shapes + 2 * capacity, column},
                          {shapes + 3 * capacity, sizeof(uint32_t) * uint64_t{window.words}}};
  const uint64_t bytes = sizeof closed + 3 * column + parts[4].iov_len;
  const int file = open_for_place();
  if (file < 0) return false;
  const bool written = uncancelled::pwritev(file, parts, 5, static_cast<off_t>(offset_of(place))) ==
                       static_cast<ssize_t>(bytes);
  uncancelled::close(file);
  return written;
}

void publish_place(uint32_t place) {
  uint32_t seen = __atomic_load_n(&events_header->chunks, __ATOMIC_RELAXED);
  while (seen <= place && !__atomic_compare_exchange_n(&events_header->chunks, &seen, place + 1,
                                                       true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

void close_window(plait_chunk_header* window) {
  if (window->kind == PLAIT_CHUNK_EVENTS) {
    window->crc = crc_of(*window);
  } else {
    window->crc = plait::trace::crc32c(window + 1, sizeof(plait_shape) * uint64_t{window->events});
  }
  __atomic_store_n(&window->closed, 1, __ATOMIC_RELEASE);
}

}  // namespace plait::preload::trace
