// SPDX-License-Identifier: BSD-3-Clause
// A hash table from 64-bit keys (handles, hashes) to numbers.
#include "preload/handle_map.hpp"

#include <string.h>
#include <sys/mman.h>

#include "preload/recorder.hpp"

namespace plait::preload {

void* move_to_pages(void* old, uint64_t old_bytes, uint64_t new_bytes) {
  void* moved = map_pages(new_bytes);
  if (!moved) return nullptr;
  if (old_bytes) {
    memcpy(moved, old, old_bytes);
    munmap(old, old_bytes);
  }
  return moved;
}

HandleMap::Slot* HandleMap::slot_of(uint64_t key) const {
  const uint32_t mask = (1u << bits_) - 1;
  Slot* reusable = nullptr;
  for (auto i = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> (64 - bits_));;
       i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.state == kUsed && slot.key == key) return &slot;
    if (slot.state == kRemoved && !reusable) reusable = &slot;
    if (slot.state == kFree) return reusable ? reusable : &slot;
  }
}

uint32_t HandleMap::find(uint64_t key) const {
  if (!slots_) return kAbsent;
  const Slot* slot = slot_of(key);
  return slot->state == kUsed ? slot->value : kAbsent;
}

bool HandleMap::grow() {
  HandleMap larger;
  // If most slots are of removed keys, the same size is enough.
  larger.bits_ = !slots_ ? 10 : live_ > (1u << bits_) / 4 ? bits_ + 1 : bits_;
  larger.slots_ = static_cast<Slot*>(map_pages(sizeof(Slot) << larger.bits_));
  if (!larger.slots_) return false;
  const uint64_t slots = slots_ ? uint64_t{1} << bits_ : 0;
  for (uint64_t i = 0; i < slots; ++i)
    if (slots_[i].state == kUsed) {
      *larger.slot_of(slots_[i].key) = slots_[i];
      ++larger.used_;
    }
  larger.live_ = larger.used_;
  if (slots_) munmap(slots_, sizeof(Slot) << bits_);
  *this = larger;
  return true;
}

void HandleMap::set(uint64_t key, uint32_t value) {
  const uint32_t room = slots_ ? (1u << bits_) / 4 * 3 : 0;
  if (used_ >= room && !grow()) return;
  Slot* slot = slot_of(key);
  if (slot->state == kFree) ++used_;
  if (slot->state != kUsed) ++live_;
  *slot = {key, value, kUsed};
}

void HandleMap::remove(uint64_t key) {
  if (!slots_) return;
  Slot* slot = slot_of(key);
  if (slot->state != kUsed) return;
  slot->state = kRemoved;
  --live_;
}

}  // namespace plait::preload
