// SPDX-License-Identifier: BSD-3-Clause
// Shapes: the properties that equal calls share, found by their contents.
//
// Each thread has a hash of the shapes that it has seen. The process has another one, under a lock,
// with their numbers in the event file.
#pragma once

#include <stdint.h>

#include "preload/trace/stream.hpp"

namespace plait::preload::trace {

constexpr uint32_t kMostShapes = 1 << 21;  ///< of the process

inline uint64_t what_of(plait_shape_kind kind, uint32_t flags, uint32_t function, uint32_t site) {
  return uint64_t{kind} | uint64_t{flags} << 8 | uint64_t{function} << 24 | uint64_t{site} << 36;
}

inline uint64_t whom_of(uint32_t comm, int peer) {
  return comm | static_cast<uint64_t>(static_cast<uint32_t>(peer)) << 32;
}

inline uint64_t tag_of(int tag, uint32_t operation = 0) {
  return static_cast<uint32_t>(tag) | uint64_t{operation} << 32;
}

/// The key of an event without a partner.
inline ShapeKey plain_key(plait_shape_kind kind, uint32_t flags, uint32_t function, uint32_t site) {
  return {what_of(kind, flags, function, site), whom_of(0, PLAIT_NO_PEER), tag_of(PLAIT_ANY_TAG),
          0};
}

inline uint64_t hash_of(const ShapeKey& key) {
  uint64_t hash = key.what * 0x9e3779b97f4a7c15u;
  hash ^= key.whom * 0xc2b2ae3d27d4eb4fu;
  hash ^= (key.tag + key.extra * 0x100000001b3u) * 0x165667b19e3779f9u;
  return hash ^ hash >> 29;
}

/// Gives the stream an empty hash of shapes. False: no memory.
bool make_slots(Stream* s);
void drop_slots(Stream* s);

/// Null: no room for another shape; the event must be counted as lost. Takes a lock.
ShapeSlot* learn_shape(Stream* s, const ShapeKey& key);

/// Forgets all memos: a shape has moved, or depends on the arguments in another way.
void forget_memos(Stream* s);

inline Memo& memo_of(Stream* s, uint32_t site, int rank) {
  return s->memos[(site + static_cast<uint32_t>(rank) * 5) % Stream::kMemos];
}

inline bool fits(const Memo& memo, uint64_t what, int rank, int tag, uint64_t type, uint64_t comm) {
  return memo.what == what && memo.rank == rank && memo.tag == tag && memo.type == type &&
         memo.comm == comm;
}

inline ShapeSlot* find_shape(Stream* s, const ShapeKey& key) {
  for (auto i = static_cast<uint32_t>(hash_of(key) >> s->slots_shift);;
       i = (i + 1) & s->slots_mask) {
    ShapeSlot* slot = &s->slots[i];
    if (__builtin_expect(slot->key == key, 1)) return slot;
    if (slot->shape == 0) return learn_shape(s, key);
  }
}

/// The shape of an event without a partner, through the memos.
inline ShapeSlot* find_plain_shape(Stream* s, plait_shape_kind kind, uint32_t flags,
                                   uint32_t function, uint32_t site) {
  const uint64_t what = what_of(kind, flags, function, site);
  Memo& memo = memo_of(s, site, 0);
  if (__builtin_expect(memo.what == what && memo.type == 0, 1)) return memo.slot;
  ShapeSlot* slot = find_shape(s, plain_key(kind, flags, function, site));
  if (slot) memo = {what, 0, 0, 0, 0, slot};
  return slot;
}

}  // namespace plait::preload::trace
