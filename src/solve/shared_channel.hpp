// SPDX-License-Identifier: BSD-3-Clause
// Messages from one process or thread to another through memory that both see, without locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plait::solve {

/// One direction between two partners that exchange messages of fixed length in turns 1, 2, 3 and
/// so on. The sender packs turn t into slot t % 2 and then publishes t; the receiver unpacks from
/// that slot once t has arrived.
///
/// There is nothing to tell the sender that a slot is free again, and no need: partners exchange
/// both ways, each publishes turn t before it waits for turn t, and begins turn t + 1 only after it
/// has unpacked turn t. So when turn t arrives from the partner, the partner has unpacked what was
/// sent to it in turn t - 1, and slot (t + 1) % 2 may be overwritten. (With one slot it might not:
/// the partner may still be unpacking turn t.)
class SharedChannel {
public:
  /// Two lines, as processors fetch lines in pairs: the counters of two channels lie apart.
  static constexpr std::size_t alignment = 128;
  static constexpr std::size_t slots = 2;

  /// Bytes of memory for messages of a length.
  static constexpr std::size_t bytes(std::size_t message_bytes) {
    return alignment + slots * padded(message_bytes);
  }

  SharedChannel() = default;
  /// @param memory         bytes(message_bytes) of it, zero before the first turn, aligned; the two
  ///                       partners may see it at different addresses
  SharedChannel(std::byte* memory, std::size_t message_bytes)
      : memory_(memory), slot_bytes_(padded(message_bytes)) {}

  /// Where the message of a turn lies.
  [[nodiscard]] std::byte* slot(std::uint64_t turn) const {
    return memory_ + alignment + (turn % slots) * slot_bytes_;
  }
  /// By the sender, after it has packed the turn.
  void publish(std::uint64_t turn) const { counter().store(turn, std::memory_order_release); }
  /// By the receiver: whether the turn may be unpacked. The sender is at most one turn ahead.
  [[nodiscard]] bool arrived(std::uint64_t turn) const {
    return counter().load(std::memory_order_acquire) >= turn;
  }

private:
  using Counter = std::atomic_ref<std::uint64_t>;
  static_assert(Counter::is_always_lock_free, "locks of a process are not seen by another");

  static constexpr std::size_t padded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  [[nodiscard]] Counter counter() const {
    return Counter(*reinterpret_cast<std::uint64_t*>(memory_));
  }

  std::byte* memory_ = nullptr;
  std::size_t slot_bytes_ = 0;
};

}  // namespace plait::solve
