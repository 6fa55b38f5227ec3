// SPDX-License-Identifier: BSD-3-Clause
// Numbers for the members of a node.
#include "preload/transport/member_numbers.hpp"

#include <algorithm>

namespace plait::preload::provider {

MemberNumbers::MemberNumbers(uint32_t members)
    : members_(members), numbers_(members), uses_(members) {
  for (std::atomic<uint32_t>& member : members_) member.store(kNone);
  for (std::atomic<uint32_t>& number : numbers_) number.store(kNone);
}

uint32_t MemberNumbers::insert(uint32_t member) noexcept {
  const std::lock_guard lock(lock_);
  uint32_t number = this->number(member);
  if (number == kNone) {
    // There is a free one: a member has one at most. The first ones are used first, since MPI
    // libraries expect the numbers of a table.
    number = static_cast<uint32_t>(std::ranges::find(uses_, 0u) - uses_.begin());
    members_[number].store(member, std::memory_order_release);
    numbers_[member].store(number, std::memory_order_release);
  }
  ++uses_[number];
  return number;
}

bool MemberNumbers::remove(uint64_t number) noexcept {
  const std::lock_guard lock(lock_);
  const uint32_t member = this->member(number);
  if (member == kNone) return false;
  if (--uses_[number] > 0) return true;
  numbers_[member].store(kNone, std::memory_order_release);
  members_[number].store(kNone, std::memory_order_release);
  return true;
}

}  // namespace plait::preload::provider
