// SPDX-License-Identifier: BSD-3-Clause
// A hash table from 64-bit keys to numbers that only grows. Look-ups take no lock.
#pragma once

#include <stdint.h>

namespace plait::preload {

class KeyIndex {
public:
  static constexpr uint32_t kAbsent = ~0u;

  /// kAbsent when there is none. By any thread at any time.
  [[nodiscard]] uint32_t find(uint64_t key) const;

  /// Adds a key that is absent. By one thread at a time. False: no memory.
  bool add(uint64_t key, uint32_t value);

private:
  struct Slot {
    uint64_t key;
    uint32_t value;
    uint32_t used;
  };
  // A table that was replaced stays: other threads may be reading it.
  struct Table {
    uint32_t bits, used;
    [[nodiscard]] Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  };

  static Slot* slot_of(Table* table, uint64_t key);
  bool grow();

  Table* table_ = nullptr;
};

}  // namespace plait::preload
