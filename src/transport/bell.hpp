// SPDX-License-Identifier: BSD-3-Clause
// A word per process in shared memory: which queues have news, and whether the process sleeps.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace plait::transport {

/// Others ring it, its owner looks at it and sleeps on it. 0 at first.
///
/// Since news and sleep are bits of one word, a sender that adds news sees in the same operation
/// whether the owner sleeps. tests/models/bell.pml is the proof that no wake-up is lost.
class Bell {
public:
  static constexpr uint64_t kSleeping = uint64_t{1} << 63;
  /// Bits that queues use as they like.
  static constexpr uint32_t kNewsBits = 63;

  /// Adds news, and wakes the owner if it sleeps.
  void ring(uint64_t news) noexcept {
    if ((word_.fetch_or(news, std::memory_order_seq_cst) & kSleeping) != 0) wake();
  }

  /// The same for an owner that looks for these news itself before it sleeps: leaves them as they
  /// are if they are there already (tests/models/standing_news.pml).
  void ring_unless_set(uint64_t news) noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // what made the news is visible before
    if ((word_.load(std::memory_order_seq_cst) & (news | kSleeping)) != news) ring(news);
  }

  /// Wakes the owner if it sleeps: for news that are not in this word. What made the news must have
  /// been a sequentially consistent store (tests/models/store_buffer.pml shows why).
  void wake_if_asleep() noexcept {
    if ((word_.load(std::memory_order_seq_cst) & kSleeping) != 0) wake();
  }

  /// The owner's look at the news, which leaves them.
  [[nodiscard]] uint64_t news() const noexcept {
    return word_.load(std::memory_order_seq_cst) & ~kSleeping;
  }

  /// The owner, which is awake, takes the news.
  uint64_t take_news() noexcept { return word_.exchange(0, std::memory_order_seq_cst); }

  /// The owner announces that it will sleep. It must look for news after that.
  void announce_sleep() noexcept { word_.fetch_or(kSleeping, std::memory_order_seq_cst); }
  void stay_awake() noexcept { word_.fetch_and(~kSleeping, std::memory_order_seq_cst); }

  /// After announce_sleep(): sleeps until another process rings, for this time at most.
  /// @return false after that time
  bool sleep(uint32_t most_us) noexcept;

  void wake() noexcept;

private:
  static_assert(std::endian::native == std::endian::little);
  static_assert(std::atomic<uint64_t>::is_always_lock_free);

  /// The half of the word that has kSleeping, which a futex needs.
  [[nodiscard]] uint32_t* upper_half() noexcept { return reinterpret_cast<uint32_t*>(&word_) + 1; }

  std::atomic<uint64_t> word_;
};

}  // namespace plait::transport
