// SPDX-License-Identifier: BSD-3-Clause
// A long message in pieces through memory of its sender.
#include "transport/stream.hpp"

#include <cstring>

namespace plait::transport {

bool put_pieces(Stream& stream, const Cut& cut, const std::byte* message, uint64_t bytes,
                uint64_t& sent) noexcept {
  const uint64_t before = sent;
  uint64_t taken = stream.taken.load(std::memory_order_acquire);
  while (sent < bytes) {
    const uint64_t piece = std::min(cut.piece_bytes, bytes - sent);
    if (sent + piece - taken > cut.window()) {
      taken = stream.taken.load(std::memory_order_acquire);
      if (sent + piece - taken > cut.window()) break;
    }
    std::memcpy(stream.data + sent % cut.window(), message + sent, piece);
    sent += piece;
    stream.put.store(sent, std::memory_order_release);
  }
  return sent != before;
}

bool take_pieces(Stream& stream, const Cut& cut, std::byte* message, uint64_t room,
                 uint64_t& received) noexcept {
  const uint64_t before = received;
  const uint64_t put = stream.put.load(std::memory_order_acquire);
  while (received < put) {
    const uint64_t piece = std::min(cut.piece_bytes, put - received);
    if (received < room) {
      std::memcpy(message + received, stream.data + received % cut.window(),
                  std::min(piece, room - received));
    }
    received += piece;
    stream.taken.store(received, std::memory_order_release);
  }
  return received != before;
}

}  // namespace plait::transport
