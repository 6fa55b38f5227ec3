// SPDX-License-Identifier: BSD-3-Clause
// Begins and ends the trace of the process, and writes the events that are not MPI calls.
#include "preload/trace/trace.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <initializer_list>

#include "preload/calls/thread.hpp"
#include "preload/recorder.hpp"
#include "preload/trace/calls.hpp"
#include "preload/trace/emit.hpp"
#include "preload/trace/event_file.hpp"
#include "preload/trace/gaps.hpp"
#include "preload/trace/parts.hpp"
#include "trace/rank_selection.hpp"

namespace plait::preload::trace {

int state = kOff;

namespace {

// Writes the event of a part of the thread's time that ends now. Returns the words after it; null:
// lost.
uint32_t* begin_part(plait_shape_kind kind, uint32_t index, uint64_t begin, uint64_t end,
                     uint64_t words, Stream** into) {
  if (__atomic_load_n(&state, __ATOMIC_RELAXED) != kOn) return lose_event(), nullptr;
  Stream* s = *into = own_stream();
  if (s && may_have_gaps && !is_span_recorded(s, kind, begin, end)) return nullptr;
  ShapeSlot* slot = s ? find_shape(s, plain_key(kind, 0, 0, index)) : nullptr;
  if (!slot) return lose_event(), nullptr;
  return begin_event(s, slot, end, end > begin ? end - begin : 0, true, 0, words);
}

void write_cpu_wait(Stream* s, uint64_t at, uint64_t before, uint64_t inside) {
  ShapeSlot* slot = find_plain_shape(s, PLAIT_EVENT_CPU_WAIT, 0, 0, 0);
  if (!slot) return lose_event();
  uint32_t* words = begin_event(s, slot, at, 0, false, 0, 4);
  if (!words) return;
  for (const uint64_t ticks : {before, inside}) {
    *words++ = static_cast<uint32_t>(ticks);
    *words++ = static_cast<uint32_t>(ticks >> 32);
  }
  end_event(s, words);
}

}  // namespace

void open() {
  const bool ring = has_option("trace_ring");
  if (!wants_trace() || !create_event_file(ring ? PLAIT_TRACE_RING : PLAIT_TRACE_FULL)) return;
  events_header->checking = checking;
  __atomic_store_n(&state, static_cast<int>(kOn), __ATOMIC_RELEASE);
  own_stream();  // so that this thread's number is 0
  choose_parts();
}

void choose_rank(int rank, int ranks) {
  const char* asked = getenv("PLAIT_TRACE_RANKS");
  if (!asked || !*asked || rank < 0 || !wants_trace()) return;
  const int largest = plait::trace::largest_named_rank(asked);
  if (rank == 0 && largest >= ranks) {
    char text[128];
    snprintf(text, sizeof text, "--trace-ranks names rank %d, but the job has %d %s", largest,
             ranks, ranks == 1 ? "rank" : "ranks");
    note(text);
  }
  if (!events_header) return;
  if (plait::trace::selects_rank(asked, rank)) {
    snprintf(events_header->ranks, sizeof events_header->ranks, "%s", asked);
    return;
  }
  if (__atomic_exchange_n(&state, static_cast<int>(kOff), __ATOMIC_ACQ_REL) == kOff) return;
  drop_stream();
  remove_event_file();
}

void finish() {
  if (!active()) return;
  report_parts();
  end_gaps(now_ticks());
}

void close() {
  if (__atomic_exchange_n(&state, static_cast<int>(kOff), __ATOMIC_ACQ_REL) == kOn) close_stream();
}

void forget() {
  state = kOff;
  stream = nullptr;
  forget_requests();
}

void lose_event() {
  if (events_header) __atomic_add_fetch(&events_header->lost_events, 1, __ATOMIC_RELAXED);
}

void add_region(uint32_t index, uint64_t begin, uint64_t end) {
  Stream* s = nullptr;
  if (uint32_t* at = begin_part(PLAIT_EVENT_REGION, index, begin, end, 0, &s)) end_event(s, at);
}

void add_parallel(uint32_t index, uint64_t begin, uint64_t end, uint32_t threads, uint64_t busy) {
  Stream* s = nullptr;
  uint32_t* at = begin_part(PLAIT_EVENT_PARALLEL, index, begin, end, 3, &s);
  if (!at) return;
  *at++ = threads;
  *at++ = static_cast<uint32_t>(busy);
  *at++ = static_cast<uint32_t>(busy >> 32);
  end_event(s, at);
}

void add_work(uint32_t index, uint64_t begin, uint64_t end, uint64_t idle, int omp_thread) {
  Stream* s = nullptr;
  uint32_t* at = begin_part(PLAIT_EVENT_WORK, index, begin, end, 2, &s);
  if (!at) return;
  *at++ = static_cast<uint32_t>(idle);
  *at++ = static_cast<uint32_t>(idle >> 32);
  end_event(s, at);
  if (s->omp_thread == 0) {
    s->omp_thread = static_cast<uint32_t>(omp_thread) + 1;
    s->window->omp_thread = omp_thread;
  }
}

void add_cpu_wait_of(Stream* s, const Call& call) {
  write_cpu_wait(s, call.began, call.waited_before, call.waited);
}

void add_cpu_wait(uint64_t now, uint64_t waited) {
  if (__atomic_load_n(&state, __ATOMIC_RELAXED) != kOn) return lose_event();
  Stream* s = own_stream();
  if (!s) return lose_event();
  if (gap_reasons == 0) write_cpu_wait(s, now, waited, 0);
}

void calibrate(Thread* thread) {
  constexpr int kBlocks = 9, kCalls = 400;
  if (__atomic_load_n(&state, __ATOMIC_RELAXED) != kOn || record->ticks_per_s <= 0) return;
  const uint64_t bytes = kChunkBytes + sizeof(Stream);
  auto* memory = static_cast<char*>(map_pages(bytes));
  auto* scratch = reinterpret_cast<Stream*>(memory + kChunkBytes);
  if (!memory || !open_in_memory(scratch, memory)) return;
  Stream* const own = stream;
  stream = scratch;
  Call call{};
  call.thread = thread;
  call.function = kFunction_Send;
  call.began = now_ticks();
  call.bytes = 8;
  uint64_t least = ~uint64_t{0};
  for (int block = 0; block < kBlocks; ++block) {
    const uint64_t began = now_ticks();
    for (int i = 0; i < kCalls; ++i) {
      call.began += 50;
      call.ended = call.began + 20;
      send(call, {kBlocking, 0}, byte_type(), i & 1, 0, nullptr);
    }
    const uint64_t ticks = now_ticks() - began;
    if (ticks < least) least = ticks;
  }
  stream = own;
  close_memory(scratch);
  munmap(memory, bytes);
  events_header->overhead_ns_per_event =
      record->overhead_ns_per_call +
      static_cast<double>(least) / kCalls / record->ticks_per_s * 1e9;
}

}  // namespace plait::preload::trace
