// SPDX-License-Identifier: BSD-3-Clause
// Work during communication, bound by arithmetic or by memory bandwidth.
#include "work.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "measure/affinity.hpp"
#include "measure/clock.hpp"

namespace plait::measure {
namespace {

/// Divisions in a unit: about a quarter of a microsecond.
constexpr int kDivisions = 64;
/// Elements of each array in a unit: 3 x 2 KiB.
constexpr std::size_t kElements = 256;

}  // namespace

Work::Part::Part(std::uint64_t bytes) : region(bytes) {
  std::memset(region.bytes(), 0, region.size());
}

Work::Work(std::uint64_t region_bytes, const std::vector<int>& pus) {
  if (region_bytes > 0) {
    const std::uint64_t part_bytes = region_bytes / (pus.size() + 1);
    at_work_ = static_cast<int>(pus.size());
    for (const int pu : pus) {
      helpers_.emplace_back([this, part_bytes, pu] { help(part_bytes, pu); });
    }
    own_ = std::make_unique<Part>(part_bytes);
    while (at_work_.load() > 0) std::this_thread::yield();
  }
  constexpr std::int64_t kUnits = 4000;
  unit_s_ = 1;
  for (int i = 0; i < 5; ++i) {
    const double begin_s = now_s();
    carry_out(kUnits);
    unit_s_ = std::min(unit_s_, (now_s() - begin_s) / kUnits);
  }
}

Work::~Work() {
  units_ = -1;
  ++round_;
  round_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

std::int64_t Work::units_for(double seconds) const {
  return std::max<std::int64_t>(1, std::llround(seconds / unit_s_));
}

void Work::carry_out(std::int64_t units) {
  if (!own_) return divide(units);
  if (!helpers_.empty()) {
    units_ = units;
    at_work_ = static_cast<int>(helpers_.size());
    ++round_;
    round_.notify_all();
  }
  own_->stream(units);
  // A thread that sleeps here would have to be woken, which takes as long as a short message.
  while (at_work_.load() > 0) std::this_thread::yield();
}

void Work::help(std::uint64_t bytes, int pu) {
  bind_this_thread(pu);
  Part part(bytes);
  int seen = round_.load();
  --at_work_;
  while (true) {
    round_.wait(seen);
    seen = round_.load();
    const std::int64_t units = units_.load();
    if (units < 0) return;
    part.stream(units);
    --at_work_;
  }
}

void Work::divide(std::int64_t units) {
  double quotient = quotient_;
  for (std::int64_t i = 0; i < units * kDivisions; ++i) quotient = 3.0 / (quotient + 1.0);
  quotient_ = quotient;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

void Work::Part::stream(std::int64_t units) {
  const std::size_t elements = region.size() / sizeof(double) / 3 / kElements * kElements;
  double* const a = region.doubles();
  const double* const b = a + elements;
  const double* const c = b + elements;
  for (std::int64_t unit = 0; unit < units; ++unit) {
    for (std::size_t i = at; i < at + kElements; ++i) a[i] = b[i] + 3.0 * c[i];
    at = (at + kElements) % elements;
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace plait::measure
