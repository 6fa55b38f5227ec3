// SPDX-License-Identifier: BSD-3-Clause
// Numbers the channels of messages: communicator, sender, receiver and tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plait::trace {

/// Sends and receives with equal fields match in the order of posting.
struct Channel {
  std::uint32_t comm = 0;
  std::uint32_t sender = 0, receiver = 0;  ///< ranks
  std::int32_t tag = 0;
  bool partitioned = false;  ///< matches partitioned ones only (MPI-4.1, section 4.2)

  bool operator==(const Channel&) const = default;
};

/// Numbers channels in the order of their first use. A hash table with open addressing: a look-up
/// touches one cache line, in a node-based table three.
class Channels {
public:
  /// @param slots  of the table at first; a power of two
  explicit Channels(std::size_t slots = 1024) : slots_(slots, 0) {}

  /// The number of a channel, which is new at its first use.
  std::uint32_t number_of(const Channel& channel) {
    const std::size_t slot = slot_of(channel);
    if (slots_[slot] != 0) return slots_[slot] - 1;
    known_.push_back(channel);
    slots_[slot] = static_cast<std::uint32_t>(known_.size());
    if (known_.size() * 2 > slots_.size()) {
      grow();
    }
    return static_cast<std::uint32_t>(known_.size() - 1);
  }

  /// The number of a channel; ~0: it is not known.
  [[nodiscard]] std::uint32_t find(const Channel& channel) const {
    return slots_[slot_of(channel)] - 1;
  }

  /// All channels, by number.
  [[nodiscard]] const std::vector<Channel>& all() const { return known_; }

private:
  /// The slot of a channel, or the free one for it.
  [[nodiscard]] std::size_t slot_of(const Channel& channel) const {
    std::size_t slot = hash(channel) & (slots_.size() - 1);
    while (slots_[slot] != 0 && !(known_[slots_[slot] - 1] == channel)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  static std::size_t hash(const Channel& of) {
    std::uint64_t bits = (std::uint64_t{of.sender} << 32) | of.receiver;
    bits ^= ((std::uint64_t{of.comm} << 33) | static_cast<std::uint32_t>(of.tag)) *
            0x9e3779b97f4a7c15ULL;                         // 2^64 / golden ratio
    bits = (bits ^ (bits >> 31)) * 0xbf58476d1ce4e5b9ULL;  // splitmix64's finalizer
    return (bits ^ (bits >> 29)) + (of.partitioned ? 1 : 0);
  }

  void grow() {
    slots_.assign(slots_.size() * 4, 0);
    for (std::size_t number = 0; number < known_.size(); ++number) {
      slots_[slot_of(known_[number])] = static_cast<std::uint32_t>(number + 1);
    }
  }

  std::vector<Channel> known_;
  std::vector<std::uint32_t> slots_;  // 1 + index into known_; 0: free
};

}  // namespace plait::trace
