// SPDX-License-Identifier: BSD-3-Clause
// Messages between two processes or threads through shared memory, without locks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plait::solve {

/// One direction between two partners that exchange messages of fixed length in turns 1, 2, 3 and
/// so on. The sender packs turn t into slot t % 2 and then publishes t. The receiver unpacks from
/// that slot once t has arrived.
///
/// The sender needs no signal that a slot is free. The partners exchange both ways; each publishes
/// turn t before it waits for turn t, and begins turn t + 1 only after it has unpacked turn t. So
/// when turn t arrives from the partner, the partner has unpacked what was sent to it in turn t -
/// 1, and slot (t + 1) % 2 may be overwritten. One slot would not be enough: the partner may still
/// be unpacking turn t.
class SharedChannel {
public:
  /// Two cache lines, because processors fetch lines in pairs: two channels never share a pair.
  static constexpr std::size_t alignment = 128;
  static constexpr std::size_t slots = 2;

  /// Bytes of memory for messages of this length.
  static constexpr std::size_t bytes(std::size_t message_bytes) {
    return alignment + slots * padded(message_bytes);
  }

  SharedChannel() = default;
  /// @param memory  bytes(message_bytes) bytes, aligned, zero before the first turn; the two
  ///                partners may see it at different addresses
  SharedChannel(std::byte* memory, std::size_t message_bytes)
      : memory_(memory), slot_bytes_(padded(message_bytes)) {}

  /// The memory of a turn's message.
  [[nodiscard]] std::byte* slot(std::uint64_t turn) const {
    return memory_ + alignment + (turn % slots) * slot_bytes_;
  }
  /// Called by the sender after it has packed the turn.
  void publish(std::uint64_t turn) const { counter().store(turn, std::memory_order_release); }
  /// Called by the receiver: whether the turn may be unpacked. The sender is at most one turn
  /// ahead.
  [[nodiscard]] bool arrived(std::uint64_t turn) const {
    return counter().load(std::memory_order_acquire) >= turn;
  }

private:
  using Counter = std::atomic_ref<std::uint64_t>;
  static_assert(Counter::is_always_lock_free, "a lock works within one process only");

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
