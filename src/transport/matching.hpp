// SPDX-License-Identifier: BSD-3-Clause
// Which receive takes which message.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/messages.hpp"

namespace plait::transport {

/// Flags of a message that number its stream. Receives of one stream take no message of another.
inline constexpr uint16_t kStreamFlags = 0xff;

/// What a receive takes.
struct Pattern {
  uint64_t tag = 0;
  uint64_t ignore = 0;  ///< bits of the tag that may differ
  uint32_t from = kAnyMember;
  uint16_t stream = 0;

  [[nodiscard]] bool takes(const Arrival& arrival) const noexcept {
    return ((arrival.tag ^ tag) & ~ignore) == 0 && (from == kAnyMember || from == arrival.from) &&
           (arrival.flags & kStreamFlags) == stream;
  }
};

/// A list of objects that have the members `next` and `previous`. It does not own them.
template <class Item>
class ItemList {
public:
  void append(Item& item) noexcept {
    item.next = nullptr;
    item.previous = last_;
    (last_ == nullptr ? first_ : last_->next) = &item;
    last_ = &item;
  }
  void remove(Item& item) noexcept {
    (item.previous == nullptr ? first_ : item.previous->next) = item.next;
    (item.next == nullptr ? last_ : item.next->previous) = item.previous;
  }
  [[nodiscard]] Item* first() const noexcept { return first_; }

  /// @return the first one of which that is true, or null
  template <class Is>
  [[nodiscard]] Item* find(Is is) const noexcept {
    Item* item = first_;
    while (item != nullptr && !is(*item)) item = item->next;
    return item;
  }

private:
  Item* first_ = nullptr;
  Item* last_ = nullptr;
};

/// A receive. It and its memory must stay until it is complete, or was cancelled.
struct Receive {
  Pattern pattern;
  std::byte* data = nullptr;
  uint64_t room = 0;
  /// Not 0: it takes one message after the other, each behind the one before, until less room than
  /// that is left. Each message gets a receive of its own from Channel::Owner::part_of().
  uint64_t least = 0;
  /// When it is complete: the message, which may have more bytes than there was room for.
  Arrival arrival{};

  // For Channel.
  Receive* next = nullptr;
  Receive* previous = nullptr;
};

/// A message that has come before its receive, with the bytes that came with it behind it.
struct Early {
  Arrival arrival;
  Early* next;
  Early* previous;
  bool looked_at = false;  ///< by a probe

  [[nodiscard]] std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }

  /// @throws std::bad_alloc
  static Early* create(const Arrival& arrival);
  static void destroy(Early* early) noexcept;
};

}  // namespace plait::transport
