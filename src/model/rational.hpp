// SPDX-License-Identifier: BSD-3-Clause
// Exact fractions of small integers, for volumes as fractions of a problem size.
#pragma once

#include <compare>
#include <cstdint>
#include <numeric>

namespace plait::model {

/// A fraction in lowest terms with a positive denominator. Meant for grids of up to a few thousand
/// parts, for which 64 bits are enough; overflow is not checked.
class Rational {
public:
  constexpr Rational(std::int64_t whole = 0) : numerator_(whole) {}
  /// @param denominator  not 0
  constexpr Rational(std::int64_t numerator, std::int64_t denominator) {
    const std::int64_t sign = denominator < 0 ? -1 : 1;
    const std::int64_t common = std::gcd(numerator, denominator);
    numerator_ = sign * numerator / common;
    denominator_ = sign * denominator / common;
  }

  [[nodiscard]] constexpr std::int64_t numerator() const { return numerator_; }
  [[nodiscard]] constexpr std::int64_t denominator() const { return denominator_; }
  [[nodiscard]] constexpr double value() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }

  constexpr Rational& operator+=(const Rational& other) {
    return *this = Rational(numerator_ * other.denominator_ + other.numerator_ * denominator_,
                            denominator_ * other.denominator_);
  }
  friend constexpr bool operator==(const Rational&, const Rational&) = default;
  friend constexpr std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    return a.numerator_ * b.denominator_ <=> b.numerator_ * a.denominator_;
  }

private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

}  // namespace plait::model
