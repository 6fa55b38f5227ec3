// SPDX-License-Identifier: BSD-3-Clause
// A hash table from 64-bit keys (handles, hashes) to numbers. It maps its own pages and grows as
// needed.
#pragma once

#include <stdint.h>

namespace plait::preload {

class HandleMap {
public:
  static constexpr uint32_t kAbsent = ~0u;

  /// kAbsent when there is none.
  [[nodiscard]] uint32_t find(uint64_t key) const;

  /// Adds it, or replaces its value. Without memory nothing is kept.
  void set(uint64_t key, uint32_t value);

  void remove(uint64_t key);

private:
  struct Slot {
    uint64_t key;
    uint32_t value;
    uint32_t state;  // kFree, kUsed, kRemoved
  };
  enum : uint32_t { kFree, kUsed, kRemoved };

  [[nodiscard]] Slot* slot_of(uint64_t key) const;
  bool grow();

  Slot* slots_ = nullptr;
  uint32_t bits_ = 0;
  uint32_t used_ = 0;  // slots that are not free, the removed ones included
  uint32_t live_ = 0;  // those that hold a key
};

/// A list of elements of one type in its own pages; it never shrinks. Index 0 is unused.
template <class Item>
class Pool {
public:
  Item& operator[](uint32_t index) { return items_[index]; }
  [[nodiscard]] uint32_t size() const { return count_; }

  /// The index of a zeroed item, of one given back if there is one; 0 without memory.
  uint32_t take();
  void give_back(uint32_t index) {
    items_[index] = Item{};
    items_[index].next = free_;
    free_ = index;
  }

private:
  Item* items_ = nullptr;
  uint32_t count_ = 1, room_ = 0, free_ = 0;
};

/// `old_bytes` of memory moved to `new_bytes` of zeroed pages; null, and nothing moved, without
/// memory.
void* move_to_pages(void* old, uint64_t old_bytes, uint64_t new_bytes);

template <class Item>
uint32_t Pool<Item>::take() {
  if (free_) {
    const uint32_t index = free_;
    free_ = items_[index].next;
    items_[index] = Item{};
    return index;
  }
  if (count_ >= room_) {
    const uint32_t room = room_ ? 2 * room_ : 1024;
    void* moved = move_to_pages(items_, room_ * sizeof(Item), room * sizeof(Item));
    if (!moved) return 0;
    items_ = static_cast<Item*>(moved);
    room_ = room;
  }
  return count_++;
}

}  // namespace plait::preload
