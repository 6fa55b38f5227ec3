// SPDX-License-Identifier: BSD-3-Clause
// Which way long messages go, from the times that earlier ones took.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace plait::transport {

/// How the data of a long message get to its receiver.
enum class Way : uint8_t {
  pull,          ///< it reads them in the sender's memory, which needs a system call
  small_pieces,  ///< through a stream, kSmallPieces
  large_pieces,  ///< the same, kLargePieces
};
inline constexpr uint32_t kWays = 3;

/// Chooses a way for each message of a sender, by its size. Which one is fastest depends on the
/// caches that the two processes share, on whether the sender works at the message while the
/// receiver waits, and on the machine, which may move them: so each way is tried at first and then
/// now and then, ever more seldom as long as another one is faster.
///
/// Decides by the times that it gets only. Not for several threads at a time.
class Ways {
public:
  explicit Ways(uint32_t members) : peers_(members) {}

  /// The way of the next message.
  [[nodiscard]] Way choose(uint32_t from, uint64_t bytes) noexcept;

  /// A message took so long.
  void took(uint32_t from, uint64_t bytes, Way way, uint64_t ns) noexcept;

  /// Attempts of each way before one is chosen, and then messages between attempts.
  static constexpr uint32_t kFirstAttempts = 3, kLeastPause = 32, kMostPause = 4096;

private:
  /// Times of messages of one sender and about one size.
  struct Known {
    std::array<float, kWays> ns{};  ///< of a message of `bytes`
    std::array<uint16_t, kWays> attempts{};
    uint32_t pause = kLeastPause, since = 0;
    Way tried = Way::pull;  ///< last
  };
  static constexpr uint32_t kLeastBits = 12, kSizes = 20;
  using Sizes = std::array<Known, kSizes>;

  [[nodiscard]] Known* known(uint32_t from, uint64_t bytes) noexcept;
  static Way best(const Known& known) noexcept;

  std::vector<std::unique_ptr<Sizes>> peers_;
};

}  // namespace plait::transport
