// SPDX-License-Identifier: BSD-3-Clause
// A hash from the handles of persistent requests to the bytes that they move.
#include "preload/calls/requests.hpp"

#include "preload/recorder.hpp"

namespace plait::preload {
namespace {

constexpr uint32_t kSlots = 1 << 16, kMost = kSlots / 4 * 3;
constexpr Word kDeleted = ~Word{0};

struct Slot {
  Word key;  // handle + 1
  KeptRequest kept;
};

Slot* slots;
uint32_t occupied;
int lock;

Slot* slot_of(Word key) {
  Slot* reusable = nullptr;
  for (uint32_t i = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> 48);;
       i = (i + 1) % kSlots) {
    if (slots[i].key == key) return &slots[i];
    if (slots[i].key == kDeleted && !reusable) reusable = &slots[i];
    if (slots[i].key == 0) return reusable ? reusable : &slots[i];
  }
}

}  // namespace

void keep_request(Word handle, const KeptRequest& kept) {
  SpinLock hold(&lock);
  if (!slots) slots = static_cast<Slot*>(map_pages(kSlots * sizeof(Slot)));
  if (!slots) return;
  Slot* slot = slot_of(handle + 1);
  if (slot->key == 0 && occupied == kMost) return;
  if (slot->key == 0) ++occupied;
  *slot = {handle + 1, kept};
}

bool find_request(Word handle, KeptRequest* kept) {
  SpinLock hold(&lock);
  if (!slots) return false;
  const Slot* slot = slot_of(handle + 1);
  if (slot->key != handle + 1) return false;
  *kept = slot->kept;
  return true;
}

void forget_request(Word handle) {
  if (!record || !__atomic_load_n(&slots, __ATOMIC_ACQUIRE)) return;
  SpinLock hold(&lock);
  Slot* slot = slot_of(handle + 1);
  if (slot->key == handle + 1) slot->key = kDeleted;
}

}  // namespace plait::preload
