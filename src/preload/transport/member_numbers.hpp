// SPDX-License-Identifier: BSD-3-Clause
// Numbers for the members of a node, which many threads look up while others change them.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace plait::preload::provider {

/// A member that is inserted again keeps its number, and is removed as often as it was inserted.
class MemberNumbers {
public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// @throws std::bad_alloc
  explicit MemberNumbers(uint32_t members);

  // Any thread may call these two at any time.

  /// @return kNone if nothing has that number
  [[nodiscard]] uint32_t member(uint64_t number) const noexcept {
    return number < members_.size() ? members_[number].load(std::memory_order_acquire) : kNone;
  }
  /// @return kNone if the member has no number
  [[nodiscard]] uint32_t number(uint32_t member) const noexcept {
    return numbers_[member].load(std::memory_order_acquire);
  }

  /// Gives a member the least free number, unless it has one. @return its number
  uint32_t insert(uint32_t member) noexcept;

  /// @return false if nothing has that number
  bool remove(uint64_t number) noexcept;

private:
  std::mutex lock_;                             ///< for those that change what follows
  std::vector<std::atomic<uint32_t>> members_;  ///< by number
  std::vector<std::atomic<uint32_t>> numbers_;  ///< by member
  std::vector<uint32_t> uses_;                  ///< by number: insertions less removals
};

}  // namespace plait::preload::provider
