// SPDX-License-Identifier: BSD-3-Clause
// Work during communication, bound by arithmetic or by memory bandwidth.
#include "work.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "measure/clock.hpp"

namespace plait::measure {
namespace {

/// Divisions in a unit: about a quarter of a microsecond.
constexpr int kDivisions = 64;
/// Elements of each array in a unit: 3 x 2 KiB.
constexpr std::size_t kElements = 256;

}  // namespace

Work::Work(std::uint64_t region_bytes) {
  if (region_bytes > 0) {
    region_.emplace(region_bytes);
    std::memset(region_->bytes(), 0, region_->size());
  }
  constexpr std::int64_t kUnits = 4000;
  unit_s_ = 1;
  for (int i = 0; i < 5; ++i) {
    const double begin_s = now_s();
    carry_out(kUnits);
    unit_s_ = std::min(unit_s_, (now_s() - begin_s) / kUnits);
  }
}

std::int64_t Work::units_for(double seconds) const {
  return std::max<std::int64_t>(1, std::llround(seconds / unit_s_));
}

void Work::carry_out(std::int64_t units) {
  if (region_) {
    stream(units);
  } else {
    divide(units);
  }
}

void Work::divide(std::int64_t units) {
  double quotient = quotient_;
  for (std::int64_t i = 0; i < units * kDivisions; ++i) quotient = 3.0 / (quotient + 1.0);
  quotient_ = quotient;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

void Work::stream(std::int64_t units) {
  const std::size_t elements = region_->size() / sizeof(double) / 3 / kElements * kElements;
  double* const a = region_->doubles();
  const double* const b = a + elements;
  const double* const c = b + elements;
  for (std::int64_t unit = 0; unit < units; ++unit) {
    for (std::size_t i = at_; i < at_ + kElements; ++i) a[i] = b[i] + 3.0 * c[i];
    at_ = (at_ + kElements) % elements;
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace plait::measure
