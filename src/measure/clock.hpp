// SPDX-License-Identifier: BSD-3-Clause
// The clock of all measurements: CLOCK_MONOTONIC, which all cores of a node share.
#pragma once

#include <time.h>

#include <cstdint>

namespace plait::measure {

/// Nanoseconds since an arbitrary moment.
inline std::int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

/// Seconds since an arbitrary moment.
inline double now_s() {
  return static_cast<double>(now_ns()) * 1e-9;
}

/// The time after which a measurement adds no more repetitions.
class Deadline {
public:
  /// @param seconds  from now
  explicit Deadline(double seconds) : at_s_(now_s() + seconds) {}
  [[nodiscard]] bool passed() const { return now_s() >= at_s_; }
  [[nodiscard]] double left_s() const { return at_s_ - now_s(); }

private:
  double at_s_;
};

}  // namespace plait::measure
