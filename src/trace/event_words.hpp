// SPDX-License-Identifier: BSD-3-Clause
// The words of a chunk of events, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plait::trace {

/// Thrown at what makes the rest of a chunk unreadable.
struct Unreadable {
  const char* why;
};

class EventWords {
public:
  explicit EventWords(std::span<const std::uint32_t> words) : words_(words) {}

  /// Each takes the next word or two.
  /// @throws Unreadable when there is none.
  std::uint32_t one() {
    if (next_ == words_.size()) {
      throw Unreadable{"it has fewer words than its events need"};
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
