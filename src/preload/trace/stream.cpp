// SPDX-License-Identifier: BSD-3-Clause
// Gives threads their streams, and streams their chunks.
#include "preload/trace/stream.hpp"

#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/recorder.hpp"
#include "preload/trace/event_file.hpp"
#include "preload/trace/shapes.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload::trace {

__thread Stream* stream __attribute__((tls_model("initial-exec")));

namespace {

constexpr uint64_t kChunkWords = (kChunkBytes - sizeof(plait_chunk_header)) / sizeof(uint32_t);
constexpr uint64_t kColumns = 3;
constexpr uint32_t kSpareWords = 64;  // for times and bytes that need words
constexpr uint32_t kOwnChunks = 2;    // that each thread gets in a ring in any case

int lock;
uint32_t threads;
Stream* free_streams;
pthread_key_t at_thread_end;
pthread_once_t key_once = PTHREAD_ONCE_INIT;
bool has_key;

void end_thread(void* ended) {
  if (!stream) return;  // in a forked child, where another thread's lock is never released
  SpinLock hold(&lock);
  auto* mine = static_cast<Stream*>(ended);
  mine->next_free = free_streams;
  free_streams = mine;
  stream = nullptr;
}

void make_key() {
  has_key = !pthread_key_create(&at_thread_end, end_thread);
}

// Divides the window among the columns: as many words per event as in the previous chunk, and room
// for one event of `needed` words.
void open_chunk(Stream* s, uint64_t needed, uint64_t begin) {
  const uint64_t before = static_cast<uint64_t>(s->words_next - s->words);
  const uint64_t spare = needed > kSpareWords ? needed : kSpareWords;
  // In sixteenths; a twentieth more than before.
  const uint64_t ratio = s->events ? (before * 17 / s->events) + 1 : 16;
  const uint64_t capacity = (kChunkWords - spare) * 16 / (kColumns * 16 + ratio);
  plait_chunk_header* window = s->window;
  __atomic_store_n(&window->events, 0, __ATOMIC_RELEASE);
  window->words = 0;
  s->capacity = static_cast<uint32_t>(capacity);
  s->events = 0;
  s->shapes = reinterpret_cast<uint32_t*>(window + 1);
  s->gaps = s->shapes + capacity;
  s->durations = s->gaps + capacity;
  s->words = s->words_next = s->durations + capacity;
  s->words_end = s->shapes + kChunkWords;
  if (s->last == 0) s->last = begin;
  window->kind = PLAIT_CHUNK_EVENTS;
  window->thread = s->number;
  window->omp_thread = static_cast<int32_t>(s->omp_thread) - 1;
  window->sequence = ++s->sequence;
  window->first_ticks = s->last;
  window->first_request = s->requests + 1;
  window->capacity = s->capacity;
  window->word_capacity = static_cast<uint32_t>(s->words_end - s->words);
  __atomic_store_n(&window->magic, PLAIT_CHUNK_MAGIC, __ATOMIC_RELEASE);
}

// Where the thread's next closed chunk goes: the place of its oldest one, if the ring is full.
uint32_t next_place(Stream* s) {
  const bool ring = events_header->mode == PLAIT_TRACE_RING;
  const uint32_t place = take_place(ring && s->ring_places < kOwnChunks);
  if (!ring || place != kNoPlace) return place;
  if (s->ring_places == 0) return kNoPlace;
  return s->ring[s->ring_next];
}

// Keeps the closed chunk's place in the ring, and discards the chunk that was there.
void keep_in_ring(Stream* s, uint32_t place, uint32_t events) {
  if (events_header->mode != PLAIT_TRACE_RING) return;
  const uint32_t capacity = events_header->chunk_limit + kOwnChunks;
  if (!s->ring) s->ring = static_cast<uint32_t*>(map_pages(2 * sizeof(uint32_t) * capacity));
  if (!s->ring) return;
  uint32_t* held = s->ring + capacity;  // events
  if (s->ring_places && s->ring[s->ring_next] == place) {
    __atomic_add_fetch(&events_header->overwritten_events, held[s->ring_next], __ATOMIC_RELAXED);
    held[s->ring_next] = events;
    s->ring_next = (s->ring_next + 1) % s->ring_places;
    return;
  }
  // A new place is added after the newest one, until the ring is full.
  s->ring[s->ring_places] = place;
  held[s->ring_places++] = events;
}

bool write_full_chunk(Stream* s) {
  const uint32_t place = next_place(s);
  if (place == kNoPlace) {
    stop_tracing("the trace has reached its limit (PLAIT_TRACE_LIMIT)");
    return false;
  }
  if (!write_chunk(*s->window, place)) {
    stop_tracing("there is no more room for the trace");
    return false;
  }
  publish_place(place);
  keep_in_ring(s, place, s->window->events);
  return true;
}

// A new stream; the lock is held.
Stream* new_stream() {
  auto* made = static_cast<Stream*>(map_pages(sizeof(Stream)));
  if (!made || !make_slots(made)) return nullptr;
  const uint32_t place = take_place(events_header->mode == PLAIT_TRACE_RING);
  made->window = place == kNoPlace ? nullptr : map_window(place);
  if (!made->window) return nullptr;
  made->number = threads++;
  made->window->tid = static_cast<int32_t>(syscall(SYS_gettid));
  open_chunk(made, 0, 0);
  publish_place(place);
  return made;
}

}  // namespace

Stream* make_stream() {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != kOn) return nullptr;
  pthread_once(&key_once, &make_key);
  Stream* made;
  {
    SpinLock hold(&lock);
    made = free_streams;
    if (made) {
      free_streams = made->next_free;
    } else {
      made = new_stream();
    }
  }
  if (!made) {
    stop_tracing("there is no room for the trace of another thread");
    return nullptr;
  }
  stream = made;
  if (has_key) pthread_setspecific(at_thread_end, made);
  return made;
}

bool next_chunk(Stream* s, uint64_t words, uint64_t begin) {
  if (words > kChunkWords / 2) return lose_event(), false;
  if (s->events && !s->in_memory && !write_full_chunk(s)) return lose_event(), false;
  open_chunk(s, words, begin);
  return true;
}

bool open_in_memory(Stream* scratch, void* memory) {
  scratch->window = static_cast<plait_chunk_header*>(memory);
  scratch->in_memory = true;
  if (!make_slots(scratch)) return false;
  open_chunk(scratch, 0, 0);
  return true;
}

void close_memory(Stream* scratch) {
  drop_slots(scratch);
}

void stop_tracing(const char* why) {
  int on = kOn;
  if (!__atomic_compare_exchange_n(&state, &on, static_cast<int>(kFull), false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED))
    return;
  char text[256];
  snprintf(text, sizeof text, "%s: further events are not recorded; the profile is not affected",
           why);
  note(text);
}

void drop_stream() {
  if (!stream || !stream->window) return;
  unmap_window(stream->window);
  stream->window = nullptr;
  stream = nullptr;
}

void close_stream() {
  if (stream && stream->window) close_window(stream->window);
}

}  // namespace plait::preload::trace
