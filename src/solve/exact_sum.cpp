// SPDX-License-Identifier: BSD-3-Clause
// The exact sum of doubles in any order, in an accumulator that covers the range of all doubles.
#include "solve/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace plait::solve {
namespace {

constexpr unsigned fraction_bits = 52;
constexpr std::uint64_t hidden_bit = std::uint64_t{1} << fraction_bits;
constexpr unsigned special_exponent = 2047;  // infinities and NaN
constexpr std::size_t bins_per_set = 4096;   // sign and exponent
constexpr std::size_t most_in_bins = 2048;   // 2048 significands of 53 bits fit into 64 bits
constexpr std::int64_t most_unsettled = std::int64_t{1} << 30U;
constexpr std::int64_t digit = (std::int64_t{1} << 32U) - 1;

}  // namespace

void ExactSum::add(std::span<const double> values) {
  if (bins_.empty()) bins_.assign(2 * bins_per_set, 0);
  while (!values.empty()) {
    const std::span<const double> part = values.first(std::min(values.size(), most_in_bins));
    values = values.subspan(part.size());
    if (in_bins_ + part.size() > most_in_bins) empty_bins();
    in_bins_ += part.size();
    unsigned lowest = lowest_exponent_;
    unsigned highest = highest_exponent_;
    std::uint64_t* set = bins_.data();
    std::uint64_t* other_set = set + bins_per_set;
    for (const double value : part) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      const std::uint64_t fraction = bits & (hidden_bit - 1);
      const auto bin = static_cast<unsigned>(bits >> fraction_bits);
      const unsigned exponent = bin & special_exponent;
      if (exponent == special_exponent) [[unlikely]] {
        ++(fraction != 0 ? nans_ : (value > 0 ? positive_infinities_ : negative_infinities_));
        continue;
      }
      set[bin] += fraction | (exponent != 0 ? hidden_bit : 0);
      std::swap(set, other_set);
      lowest = std::min(lowest, exponent);
      highest = std::max(highest, exponent);
    }
    lowest_exponent_ = lowest;
    highest_exponent_ = highest;
  }
}

void ExactSum::empty_bins() {
  for (unsigned exponent = lowest_exponent_; exponent <= highest_exponent_; ++exponent) {
    for (const std::size_t set : {std::size_t{0}, bins_per_set}) {
      for (const bool negative : {false, true}) {
        std::uint64_t& bin = bins_[set + exponent + (negative ? special_exponent + 1 : 0)];
        // Subnormal numbers have the same unit as the smallest exponent of normal ones.
        if (bin != 0) add_scaled(bin, std::max(exponent, 1U) - 1, negative);
        bin = 0;
      }
    }
  }
  in_bins_ = 0;
  lowest_exponent_ = special_exponent;
  highest_exponent_ = 0;
}

void ExactSum::add_scaled(std::uint64_t value, unsigned shift, bool negative) {
  const std::size_t first = shift / 32;
  const unsigned bits = shift % 32;
  const std::uint64_t low = value << bits;
  const std::uint64_t high = bits == 0 ? 0 : value >> (64U - bits);
  const std::array<std::int64_t, 3> digits{static_cast<std::int64_t>(low) & digit,
                                           static_cast<std::int64_t>(low >> 32U),
                                           static_cast<std::int64_t>(high)};
  for (std::size_t n = 0; n < digits.size(); ++n) {
    limb_[first + n] += negative ? -digits[n] : digits[n];
  }
  if (++unsettled_ == most_unsettled) settle();
}

void ExactSum::settle() {
  for (std::size_t n = 0; n + 1 < limbs; ++n) {
    limb_[n + 1] += limb_[n] >> 32U;  // rounds down, also below zero
    limb_[n] &= digit;
  }
  unsettled_ = 0;
}

ExactSum::Words ExactSum::words() {
  if (in_bins_ > 0) empty_bins();
  settle();
  Words words{};
  std::copy(limb_.begin(), limb_.end(), words.begin());
  words[limbs] = positive_infinities_;
  words[limbs + 1] = negative_infinities_;
  words[limbs + 2] = nans_;
  return words;
}

void ExactSum::add(const Words& words) {
  settle();
  for (std::size_t n = 0; n < limbs; ++n) limb_[n] += words[n];
  positive_infinities_ += words[limbs];
  negative_infinities_ += words[limbs + 1];
  nans_ += words[limbs + 2];
  settle();
}

double ExactSum::rounded() {
  if (nans_ > 0 || (positive_infinities_ > 0 && negative_infinities_ > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (positive_infinities_ > 0) return std::numeric_limits<double>::infinity();
  if (negative_infinities_ > 0) return -std::numeric_limits<double>::infinity();

  Words magnitude = words();
  const bool negative = magnitude[limbs - 1] < 0;
  if (negative) {
    ExactSum opposite;
    for (std::int64_t& word : magnitude) word = -word;
    opposite.add(magnitude);
    magnitude = opposite.words();
  }
  std::size_t top = limbs;
  while (top > 0 && magnitude[top - 1] == 0) --top;
  if (top == 0) return 0;
  --top;
  // Position of the highest bit, in units of 2^-1074.
  const auto width = [&](std::size_t n) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(magnitude[n])));
  };
  const int highest = static_cast<int>(32 * top) + width(top) - 1;
  const auto bit = [&](int position) {
    const auto n = std::min(static_cast<std::size_t>(position) / 32, limbs - 1);
    return (static_cast<std::uint64_t>(magnitude[n]) >>
            (static_cast<std::size_t>(position) - 32 * n)) &
           1U;
  };
  const int last = std::max(highest - static_cast<int>(fraction_bits), 0);
  std::uint64_t significand = 0;
  for (int position = highest; position >= last; --position) {
    significand = 2 * significand + bit(position);
  }
  if (last > 0 && bit(last - 1) == 1) {
    bool more = (significand & 1U) != 0;  // a tie goes to even
    for (int position = last - 2; position >= 0 && !more; --position) more = bit(position) == 1;
    if (more) ++significand;
  }
  const double result = std::ldexp(static_cast<double>(significand), last - 1074);
  return negative ? -result : result;
}

}  // namespace plait::solve
