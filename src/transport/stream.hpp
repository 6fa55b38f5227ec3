// SPDX-License-Identifier: BSD-3-Clause
// Memory of a sender through which a long message goes in pieces: the sender copies one piece in
// while the receiver copies another one out.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transport/node.hpp"

namespace plait::transport {

/// How a message is cut. The pieces that are on their way stay in a cache: small ones in those
/// nearest to the two processes; large ones, of which Henriksen (2008, section 5.3) lets 512 KiB
/// follow each other before the two synchronise, in a shared one.
struct Cut {
  uint64_t piece_bytes;
  uint64_t pieces;  ///< on their way at most

  [[nodiscard]] constexpr uint64_t window() const noexcept { return piece_bytes * pieces; }
};
inline constexpr Cut kSmallPieces{16 * 1024, 8};
inline constexpr Cut kLargePieces{128 * 1024, 4};

/// Shared memory for one message at a time.
struct Stream {
  static constexpr uint64_t kBytes = std::max(kSmallPieces.window(), kLargePieces.window());

  alignas(kLine) std::atomic<uint64_t> put;    ///< bytes, by the sender
  alignas(kLine) std::atomic<uint64_t> taken;  ///< bytes, by the receiver
  alignas(kLine) std::byte data[kBytes];

  /// The sender, before it tells the receiver of a message.
  void begin() noexcept {
    put.store(0, std::memory_order_relaxed);
    taken.store(0, std::memory_order_relaxed);
  }

  /// True if the receiver has taken so many bytes.
  [[nodiscard]] bool is_taken(uint64_t bytes) const noexcept {
    return taken.load(std::memory_order_acquire) == bytes;
  }
};

/// The sender's end: copies pieces in as long as there is room.
/// @param sent  bytes of the message, is moved on
/// @return true if it has moved
bool put_pieces(Stream& stream, const Cut& cut, const std::byte* message, uint64_t bytes,
                uint64_t& sent) noexcept;

/// The receiver's end: copies the pieces out that are there.
/// @param room      bytes that are stored of the message
/// @param received  bytes of the message, is moved on
/// @return true if it has moved
bool take_pieces(Stream& stream, const Cut& cut, std::byte* message, uint64_t room,
                 uint64_t& received) noexcept;

}  // namespace plait::transport
