// SPDX-License-Identifier: BSD-3-Clause
// Exact sums equal those of an independent method, with the same bits in any order and split.
#include "solve/exact_sum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "random.hpp"

namespace plait::solve {
namespace {

using test::Random;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();

double sum_of(const std::vector<double>& values) {
  ExactSum sum;
  sum.add(values);
  return sum.rounded();
}

void expect_same_bits(double a, double b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << a << " and " << b;
}

/// Shewchuk's sum by non-overlapping partial sums (1997), rounded as Python's math.fsum rounds it.
/// Exact as long as no partial sum overflows.
double partials_sum(const std::vector<double>& values) {
  std::vector<double> partials;
  for (double x : values) {
    std::size_t kept = 0;
    for (double y : partials) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y;
      const double low = y - (high - x);
      if (low != 0) partials[kept++] = low;
      x = high;
    }
    partials.resize(kept);
    partials.push_back(x);
  }
  double high = 0;
  double low = 0;
  std::size_t n = partials.size();
  while (n > 0 && low == 0) {
    const double x = high;
    const double y = partials[--n];
    high = x + y;
    low = y - (high - x);
  }
  // Half-way cases are decided by the next partial sum.
  if (n > 0 && ((low < 0 && partials[n - 1] < 0) || (low > 0 && partials[n - 1] > 0))) {
    const double twice = low * 2;
    const double moved = high + twice;
    if (twice == moved - high) high = moved;
  }
  return high + 0.0;  // no -0
}

/// A double with an exponent in [low, high]; sometimes a zero.
double number(Random& random, int low, int high) {
  const int kind = random.in(0, 19);
  if (kind == 0) return random.coin() ? 0.0 : -0.0;
  const double significand = 1 + static_cast<double>(random.bits() >> 12U) * 0x1p-52;
  const double value = std::ldexp(significand, random.in(low, high));
  return random.coin() ? value : -value;
}

std::vector<double> numbers(Random& random, int count) {
  // Narrow ranges cancel; wide ones contain numbers that rounding would lose.
  static constexpr std::pair<int, int> ranges[] = {
      {-3, 3}, {-60, 60}, {-1080, -1000}, {-1074, 950}, {900, 1000}};
  const auto [low, high] = ranges[random.in(0, 4)];
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = number(random, low, high);
  if (random.coin()) {
    // Most numbers cancel: the rest is far below the largest.
    for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
      values[i + 1] = random.in(0, 3) == 0 ? values[i + 1] : -values[i];
    }
  }
  return values;
}

void shuffle(std::vector<double>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1],
              values[static_cast<std::size_t>(random.in(0, static_cast<int>(i) - 1))]);
  }
}

TEST(ExactSum, EqualsAnIndependentMethod) {
  Random random(31);
  for (int round = 0; round < 2000; ++round) {
    const std::vector<double> values = numbers(random, random.in(1, 300));
    expect_same_bits(sum_of(values), partials_sum(values));
  }
}

TEST(ExactSum, AnyPermutationAndSplitGivesTheSameBits) {
  Random random(32);
  for (int round = 0; round < 60; ++round) {
    std::vector<double> values = numbers(random, random.in(1, 6000));
    ExactSum whole;
    whole.add(values);
    const double expected = whole.rounded();
    const ExactSum::Words words = whole.words();
    for (int permutation = 0; permutation < 3; ++permutation) {
      shuffle(values, random);
      // One part for each thread of each rank.
      std::vector<ExactSum> parts(static_cast<std::size_t>(random.in(1, 9)));
      for (std::size_t first = 0; first < values.size();) {
        const auto count =
            std::min(values.size() - first, static_cast<std::size_t>(random.in(1, 900)));
        parts[static_cast<std::size_t>(random.in(0, static_cast<int>(parts.size()) - 1))].add(
            std::span(values).subspan(first, count));
        first += count;
      }
      ExactSum::Words added{};
      for (ExactSum& part : parts) {
        const ExactSum::Words of_part = part.words();
        for (std::size_t n = 0; n < added.size(); ++n) added[n] += of_part[n];
      }
      ExactSum total;
      total.add(added);
      expect_same_bits(total.rounded(), expected);
      EXPECT_EQ(total.words(), words);
    }
  }
}

TEST(ExactSum, LosesNothing) {
  expect_same_bits(sum_of({1e308, 1, -1e308}), 1);
  expect_same_bits(sum_of({largest, largest, -largest, -largest, smallest}), smallest);
  expect_same_bits(sum_of({largest, largest, -largest}), largest);
  expect_same_bits(sum_of({smallest, smallest, -smallest}), smallest);
  expect_same_bits(sum_of({1, 0x1p-53, 0x1p-1000}), 1 + 0x1p-52);
  expect_same_bits(sum_of({0x1p-1022, -smallest}), 0x1p-1022 - smallest);
}

TEST(ExactSum, RoundsToNearestAndTiesToEven) {
  expect_same_bits(sum_of({1, 0x1p-53}), 1);
  expect_same_bits(sum_of({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51);
  expect_same_bits(sum_of({-1, -0x1p-53}), -1);
  expect_same_bits(sum_of({-1, -0x1p-53, -smallest}), -1 - 0x1p-52);
  // All bits are set: rounding carries into a new bit.
  expect_same_bits(sum_of({0x1p53 - 1, 0.5}), 0x1p53);
  // Half an ulp beyond the largest double rounds to infinity, less does not.
  expect_same_bits(sum_of({largest, 0x1p970}), infinity);
  expect_same_bits(sum_of({largest, 0x1p970, -smallest}), largest);
  expect_same_bits(sum_of({-largest, -largest}), -infinity);
}

TEST(ExactSum, ZeroIsPositive) {
  expect_same_bits(sum_of({}), 0.0);
  expect_same_bits(sum_of({-0.0}), 0.0);
  expect_same_bits(sum_of({3, -3}), 0.0);
}

TEST(ExactSum, InfinitiesAndNanPass) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_same_bits(sum_of({1, infinity, 2}), infinity);
  expect_same_bits(sum_of({-largest, -infinity, largest}), -infinity);
  EXPECT_TRUE(std::isnan(sum_of({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum_of({nan, infinity})));
  EXPECT_TRUE(std::isnan(sum_of({-nan, 1})));
}

TEST(ExactSum, HoldsManyEqualNumbers) {
  // More numbers of one exponent than a bin can take, of both signs.
  const std::vector<double> same(100'000, 1 - 0x1p-53);
  expect_same_bits(sum_of(same), 100'000 - 100'000 * 0x1p-53);
  std::vector<double> both = same;
  both.resize(150'000, -(1 - 0x1p-53));
  expect_same_bits(sum_of(both), 50'000 - 50'000 * 0x1p-53);
  const std::vector<double> tiny(10'000, smallest);
  expect_same_bits(sum_of(tiny), 10'000 * smallest);
  const std::vector<double> huge(10'000, largest);
  ExactSum sum;
  sum.add(huge);
  for (int i = 0; i < 9'999; ++i) sum.add(-largest);
  expect_same_bits(sum.rounded(), largest);
}

}  // namespace
}  // namespace plait::solve
