// SPDX-License-Identifier: BSD-3-Clause
// Time since some moment.
#pragma once

#include <cstdint>
#include <ctime>

namespace plait::transport {

inline uint64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace plait::transport
