// SPDX-License-Identifier: BSD-3-Clause
// The process' table of shapes, and its part of the event file.
#include "preload/trace/shapes.hpp"

#include <string.h>
#include <sys/mman.h>

#include "preload/recorder.hpp"
#include "preload/trace/event_file.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload::trace {
namespace {

constexpr uint32_t kFirstSlots = 1 << 9, kMostSlots = 1 << 17;
constexpr uint32_t kFirstKnown = 1 << 10;
constexpr uint32_t kManyShapes = 1 << 14;  // from then on, tags are stored in the events

struct Known {
  ShapeKey key;
  uint64_t shape;  // + 1
};

int lock;
Known* known;
uint32_t known_slots, shapes;
plait_chunk_header* window;
uint32_t shape_chunks;

plait_shape shape_of(const ShapeKey& key) {
  plait_shape shape{};
  shape.kind = key.what & 0xff;
  shape.flags = key.what >> 8 & 0xffff;
  shape.function = key.what >> 24 & 0xfff;
  shape.site = static_cast<uint32_t>(key.what >> 36);
  shape.comm = static_cast<uint32_t>(key.whom);
  shape.peer = static_cast<int32_t>(key.whom >> 32);
  shape.tag = static_cast<int32_t>(key.tag);
  shape.operation = static_cast<uint32_t>(key.tag >> 32);
  shape.extra = key.extra;
  return shape;
}

bool open_shape_chunk() {
  if (window) {
    close_window(window);
    unmap_window(window);
  }
  const uint32_t place = take_place(true);
  window = place == kNoPlace ? nullptr : map_window(place);
  if (!window) return false;
  window->kind = PLAIT_CHUNK_SHAPES;
  window->sequence = ++shape_chunks;
  window->capacity =
      static_cast<uint32_t>((kChunkBytes - sizeof(plait_chunk_header)) / sizeof(plait_shape));
  __atomic_store_n(&window->magic, PLAIT_CHUNK_MAGIC, __ATOMIC_RELEASE);
  publish_place(place);
  return true;
}

Known* known_slot(Known* table, uint32_t slots, const ShapeKey& key) {
  for (uint64_t i = hash_of(key) & (slots - 1);; i = (i + 1) & (slots - 1))
    if (table[i].shape == 0 || table[i].key == key) return &table[i];
}

bool grow_known() {
  const uint32_t slots = known_slots ? known_slots * 4 : kFirstKnown;
  auto* larger = static_cast<Known*>(map_pages(sizeof(Known) * slots));
  if (!larger) return false;
  for (uint32_t i = 0; i < known_slots; ++i)
    if (known[i].shape) *known_slot(larger, slots, known[i].key) = known[i];
  if (known) munmap(known, sizeof(Known) * known_slots);
  known = larger;
  known_slots = slots;
  return true;
}

// The number of the shape + 1; 0: no room.
uint32_t number_of(const ShapeKey& key) {
  SpinLock hold(&lock);
  if (shapes >= known_slots / 2 && shapes < kMostShapes && !grow_known()) return 0;
  Known* slot = known_slot(known, known_slots, key);
  if (slot->shape) return static_cast<uint32_t>(slot->shape);
  if (shapes == kMostShapes) return 0;
  if ((!window || window->events == window->capacity) && !open_shape_chunk()) return 0;
  reinterpret_cast<plait_shape*>(window + 1)[window->events] = shape_of(key);
  __atomic_store_n(&window->events, window->events + 1, __ATOMIC_RELEASE);
  *slot = {key, ++shapes};
  return shapes;
}

// A thread's hash is at most half full. If it cannot grow any more, it is emptied.
bool grow_slots(Stream* s) {
  const uint32_t before = s->slots_mask + 1;
  const uint32_t slots = before < kMostSlots ? before * 4 : before;
  auto* larger = static_cast<ShapeSlot*>(map_pages(sizeof(ShapeSlot) * slots));
  if (!larger) return false;
  ShapeSlot* old = s->slots;
  s->slots = larger;
  s->slots_mask = slots - 1;
  s->slots_shift = 64 - static_cast<uint32_t>(__builtin_ctz(slots));
  s->slots_room = slots / 2;
  for (uint32_t i = 0; slots != before && i < before; ++i) {
    if (!old[i].shape) continue;
    auto at = static_cast<uint32_t>(hash_of(old[i].key) >> s->slots_shift);
    while (larger[at].shape) at = (at + 1) & s->slots_mask;
    larger[at] = old[i];
    --s->slots_room;
  }
  // A forgotten shape must not count as new in the same chunk.
  if (slots == before) s->capacity = s->events;
  munmap(old, sizeof(ShapeSlot) * before);
  forget_memos(s);
  return true;
}

}  // namespace

bool make_slots(Stream* s) {
  s->slots = static_cast<ShapeSlot*>(map_pages(sizeof(ShapeSlot) * kFirstSlots));
  s->slots_mask = kFirstSlots - 1;
  s->slots_shift = 64 - static_cast<uint32_t>(__builtin_ctz(kFirstSlots));
  s->slots_room = kFirstSlots / 2;
  return s->slots != nullptr;
}

void forget_memos(Stream* s) {
  memset(s->memos, 0, sizeof s->memos);
}

void drop_slots(Stream* s) {
  munmap(s->slots, sizeof(ShapeSlot) * (uint64_t{s->slots_mask} + 1));
}

ShapeSlot* learn_shape(Stream* s, const ShapeKey& key) {
  if (s->slots_room == 0 && !grow_slots(s)) return nullptr;
  const uint32_t number = s->in_memory ? 1 : number_of(key);
  if (!number) {
    stop_tracing("there is no room for the shapes of the trace");
    return nullptr;
  }
  if (number > kManyShapes && !s->varies) {
    s->varies = PLAIT_SHAPE_VARIES;
    forget_memos(s);
  }
  auto i = static_cast<uint32_t>(hash_of(key) >> s->slots_shift);
  while (s->slots[i].shape) i = (i + 1) & s->slots_mask;
  --s->slots_room;
  s->slots[i] = {key, 0, 0, number};
  return &s->slots[i];
}

}  // namespace plait::preload::trace
