// SPDX-License-Identifier: BSD-3-Clause
// Time since some moment.
#include "transport/clock.hpp"

namespace plait::transport {
namespace {

/// The same moment on both clocks.
struct Moment {
  uint64_t ticks, ns;
};

/// If the thread loses its CPU between the looks at the clocks, it looks again.
Moment moment() noexcept {
  constexpr int kTries = 100;
  constexpr uint64_t kSoonNs = 1000;
  uint64_t before = now_ns();
  for (int tries = 1;; ++tries) {
    const uint64_t ticks = now_ticks();
    const uint64_t after = now_ns();
    if (after - before < kSoonNs || tries == kTries) return {ticks, before + (after - before) / 2};
    before = after;
  }
}

double ticks_per_ns() noexcept {
  constexpr uint64_t kLeastNs = 100'000;
  const Moment first = moment();
  Moment last = first;
  while (last.ns - first.ns < kLeastNs) last = moment();
  return static_cast<double>(last.ticks - first.ticks) / static_cast<double>(last.ns - first.ns);
}

}  // namespace

uint64_t ticks_of(uint64_t ns) noexcept {
  static const double per_ns = ticks_per_ns();
  return static_cast<uint64_t>(static_cast<double>(ns) * per_ns);
}

}  // namespace plait::transport
