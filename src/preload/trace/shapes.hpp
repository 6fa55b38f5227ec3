// SPDX-License-Identifier: BSD-3-Clause
// Shapes: what equal calls share, found by their contents.
//
// Each thread has a hash of those that it met; behind these is one of the process, under a lock,
// with the numbers by which the event file knows them.
#pragma once

#include <stdint.h>

#include "preload/trace/stream.hpp"

namespace plait::preload::trace {

inline uint64_t what_of(plait_shape_kind kind, uint32_t flags, uint32_t function, uint32_t site) {
  return uint64_t{kind} | uint64_t{flags} << 8 | uint64_t{function} << 24 | uint64_t{site} << 36;
}

inline uint64_t whom_of(uint32_t comm, int peer) {
  return comm | static_cast<uint64_t>(static_cast<uint32_t>(peer)) << 32;
}

inline uint64_t tag_of(int tag, uint32_t operation = 0) {
  return static_cast<uint32_t>(tag) | uint64_t{operation} << 32;
}

/// Of an event that speaks to nobody.
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

/// Null: there is no room for one more shape; the event is to be counted as lost. Takes a lock.
ShapeSlot* learn_shape(Stream* s, const ShapeKey& key);

/// Forgets all memos: a shape has moved, or follows from the arguments otherwise than before.
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

/// The shape of an event that speaks to nobody, through the memos.
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
