// SPDX-License-Identifier: BSD-3-Clause
// A hash table from 64-bit keys to numbers that only grows. Look-ups take no lock.
#include "preload/key_index.hpp"

#include "preload/recorder.hpp"

namespace plait::preload {

constexpr uint32_t kFirstBits = 8;

// The slot with the key, or the free one for it.
KeyIndex::Slot* KeyIndex::slot_of(Table* table, uint64_t key) {
  const uint32_t mask = (1u << table->bits) - 1;
  for (auto i = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> (64 - table->bits));;
       i = (i + 1) & mask) {
    Slot* slot = &table->slots()[i];
    if (!__atomic_load_n(&slot->used, __ATOMIC_ACQUIRE) || slot->key == key) return slot;
  }
}

uint32_t KeyIndex::find(uint64_t key) const {
  Table* table = __atomic_load_n(&table_, __ATOMIC_ACQUIRE);
  if (!table) return kAbsent;
  // The slot may have been taken for another key meanwhile.
  const Slot* slot = slot_of(table, key);
  const bool found = __atomic_load_n(&slot->used, __ATOMIC_ACQUIRE) && slot->key == key;
  return found ? slot->value : kAbsent;
}

bool KeyIndex::grow() {
  const uint32_t bits = table_ ? table_->bits + 1 : kFirstBits;
  auto* larger = static_cast<Table*>(map_pages(sizeof(Table) + (sizeof(Slot) << bits)));
  if (!larger) return false;
  larger->bits = bits;
  for (uint64_t i = 0; table_ && i < uint64_t{1} << table_->bits; ++i) {
    const Slot& slot = table_->slots()[i];
    if (!slot.used) continue;
    *slot_of(larger, slot.key) = slot;
    ++larger->used;
  }
  __atomic_store_n(&table_, larger, __ATOMIC_RELEASE);
  return true;
}

bool KeyIndex::add(uint64_t key, uint32_t value) {
  if ((!table_ || table_->used >= (1u << table_->bits) / 2) && !grow()) return false;
  Slot* slot = slot_of(table_, key);
  slot->key = key;
  slot->value = value;
  __atomic_store_n(&slot->used, 1, __ATOMIC_RELEASE);
  ++table_->used;
  return true;
}

}  // namespace plait::preload
