// SPDX-License-Identifier: BSD-3-Clause
// Sums of doubles without rounding, so that they do not depend on the order of the numbers.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace plait::boussinesq {

/// A fixed-point number that holds any sum of doubles: digits of 32 bits, with carries left open.
/// Digits of several processes may be added to each other.
class ExactSum {
public:
  static constexpr int digit_count = 68;

  void add(double value) {
    if (!std::isfinite(value)) {
      value = 0;
      digits_[digit_count - 1] = 1;  // above all sums of finite numbers
    }
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    if (mantissa == 0) return;
    const int shift = exponent - 53 + lowest_;
    const std::int64_t sign = mantissa < 0 ? -1 : 1;
    const auto size = static_cast<std::uint64_t>(sign * mantissa);
    auto place = static_cast<std::size_t>(shift / 32);
    // Halves, so that the shifted numbers fit.
    for (const std::uint64_t half : {size & 0xffffffffU, size >> 32}) {
      const std::uint64_t shifted = half << (shift % 32);
      digits_[place] += sign * static_cast<std::int64_t>(shifted & 0xffffffffU);
      digits_[++place] += sign * static_cast<std::int64_t>(shifted >> 32);
    }
    if (++added_ == carry_after_) carry();
  }

  /// The digits with carries done: at most 32 bits each, except the last.
  std::array<std::int64_t, digit_count>& digits() {
    carry();
    return digits_;
  }

  /// The sum, rounded; NaN if a number was not finite.
  double value() {
    if (digits_[digit_count - 1] != 0) return std::numeric_limits<double>::quiet_NaN();
    carry();
    // From the highest digit on, whose sign is that of the sum, the others are below it and >= 0.
    double sum = 0;
    for (int i = digit_count - 2; i >= 0; --i) {
      sum +=
          std::ldexp(static_cast<double>(digits_[static_cast<std::size_t>(i)]), 32 * i - lowest_);
    }
    return sum;
  }

private:
  static constexpr int lowest_ = 1074 + 64;  // digit 0 is worth 2^-lowest_
  static constexpr std::int64_t carry_after_ = 1 << 29;

  void carry() {
    added_ = 0;
    for (std::size_t i = 0; i + 2 < digit_count; ++i) {
      const std::int64_t carried = digits_[i] >> 32;  // rounds down: digits stay >= 0
      digits_[i] -= carried * (std::int64_t{1} << 32);
      digits_[i + 1] += carried;
    }
  }

  std::array<std::int64_t, digit_count> digits_{};
  std::int64_t added_ = 0;
};

}  // namespace plait::boussinesq
