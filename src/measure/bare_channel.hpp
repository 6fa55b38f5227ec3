// SPDX-License-Identifier: BSD-3-Clause
// The fastest possible transfer between two cores: one flag and one copy.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "measure/team.hpp"

namespace plait::measure {

/// The data that one side passes to the other; aligned so that lines are not shared.
struct alignas(128) BareLine {
  std::atomic<std::uint64_t> said{0};  ///< messages and signals sent so far
  const std::byte* message = nullptr;  ///< the latest message; valid once `said` includes it
  alignas(128) std::atomic<std::uint64_t> copied{0};  ///< messages copied from the other side
};

/// The two lines of a pair.
struct BareLink {
  BareLine lines[2];
};

/// One side of a transfer between two threads, as a channel of exchange.hpp: the producer writes
/// its buffer and sets a flag; the consumer copies from that buffer into its own. No
/// message-passing library can move new data between two memories with less than one flag and one
/// copy.
class BareChannel {
public:
  /// @param side  0 or 1
  BareChannel(BareLink& link, int side) : mine_(link.lines[side]), theirs_(link.lines[1 - side]) {}

  void send(const std::byte* from, std::size_t) {
    mine_.message = from;
    ++sent_;
    mine_.said.store(++said_, std::memory_order_release);
  }
  void receive(std::byte* to, std::size_t bytes) {
    await_signal();
    if (bytes > 0) std::memcpy(to, theirs_.message, bytes);
    mine_.copied.store(++copied_, std::memory_order_release);
  }
  void await_reusable() {
    spin_until<true>([&] { return theirs_.copied.load(std::memory_order_acquire) >= sent_; });
  }
  void signal() { mine_.said.store(++said_, std::memory_order_release); }
  void await_signal() {
    const std::uint64_t expected = ++heard_;
    spin_until<true>([&] { return theirs_.said.load(std::memory_order_acquire) >= expected; });
  }
  void exchange(const std::byte* from, std::byte* to, std::size_t bytes) {
    send(from, bytes);
    receive(to, bytes);
    await_reusable();
  }

private:
  BareLine& mine_;
  BareLine& theirs_;
  std::uint64_t said_ = 0;
  std::uint64_t heard_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t copied_ = 0;
};

}  // namespace plait::measure
