// SPDX-License-Identifier: BSD-3-Clause
// Sleeping and waking with futexes.
#include "transport/bell.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace plait::transport {

bool Bell::sleep(uint32_t most_us) noexcept {
  constexpr uint32_t kSecond = 1'000'000;
  const timespec most{static_cast<time_t>(most_us / kSecond),
                      static_cast<long>(most_us % kSecond) * 1000};
  const uint64_t word = word_.load(std::memory_order_seq_cst);
  if ((word & kSleeping) == 0) return true;
  // News that the owner knows may stay in this half of the word. Who adds others removes kSleeping
  // before it wakes: then this returns at once.
  return syscall(SYS_futex, upper_half(), FUTEX_WAIT, static_cast<uint32_t>(word >> 32), &most,
                 nullptr, 0) == 0 ||
         errno != ETIMEDOUT;
}

void Bell::wake() noexcept {
  // Of several senders, the one that removes the bit wakes.
  if ((word_.fetch_and(~kSleeping, std::memory_order_seq_cst) & kSleeping) == 0) return;
  syscall(SYS_futex, upper_half(), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace plait::transport
