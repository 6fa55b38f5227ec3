// SPDX-License-Identifier: BSD-3-Clause
// Reads the 32-bit words of a chunk of events in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plait::trace {

/// Thrown when the rest of a chunk cannot be read.
struct Unreadable {
  const char* why;
};

class EventNames {
public:
  explicit EventNames(std::span<const std::uint32_t> words) : words_(words) {}

  /// Each function consumes one or two words.
  /// @throws Unreadable at the end of the words.
  std::uint32_t one() {
    if (next_ == words_.size()) {
      throw Unreadable{"it has fewer 32-bit words than its events need"};
    }
    return words_[next_++];
  }
  int number() { return static_cast<int>(one()); }
  std::uint64_t two() {
    const std::uint64_t low = one();
    return low | (std::uint64_t{one()} << 32);
  }

private:
  std::span<const std::uint32_t> words_;
  std::size_t next_ = 0;
};

}  // namespace plait::trace
