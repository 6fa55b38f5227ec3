// SPDX-License-Identifier: BSD-3-Clause
// The exact sum of doubles in any order, in an accumulator that covers the range of all doubles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plait::solve {

/// A long accumulator (Kulisch and Miranker, "Computer Arithmetic in Theory and Practice", 1981): a
/// fixed-point number so wide that no bit of a finite double is lost. The result depends neither on
/// the order of the additions nor on how they are split among threads and ranks.
///
/// Infinities and NaN are counted separately. The result is NaN if there was a NaN or infinities of
/// both signs; otherwise an infinity if there was one. A finite sum beyond the largest double
/// rounds to infinity; intermediate sums may be of any size.
class ExactSum {
public:
  /// Limbs of 32 bits for the 2098 bits of doubles (2^-1074 to 2^1024), and two for carries.
  static constexpr std::size_t limbs = 68;
  /// Words of a sum for transport: limbs, then the numbers of +inf, -inf and NaN.
  static constexpr std::size_t word_count = limbs + 3;
  using Words = std::array<std::int64_t, word_count>;

  void add(std::span<const double> values);
  void add(double value) { add(std::span(&value, 1)); }
  /// The sum rounded to nearest, ties to even. Zero is +0.
  [[nodiscard]] double rounded();

  /// The sum as words, which depend on its value only. Words of up to 2^30 sums may be added
  /// element by element (MPI_SUM) and passed to add().
  [[nodiscard]] Words words();
  void add(const Words& words);

private:
  void add_scaled(std::uint64_t value, unsigned shift, bool negative);
  void empty_bins();
  void settle();

  /// Limb n counts units of 2^(32 n - 1074). An addition changes it by less than 2^32, and carries
  /// are propagated after 2^30 additions.
  std::array<std::int64_t, limbs> limb_{};
  std::int64_t unsettled_ = 0;

  /// Significands are first added by sign and exponent (Neal, arXiv:1505.05571), which takes one
  /// addition per value. There are two sets, so that equal exponents in a row do not wait for each
  /// other.
  std::vector<std::uint64_t> bins_;
  std::size_t in_bins_ = 0;
  unsigned lowest_exponent_ = 2047;  ///< of the values in the bins
  unsigned highest_exponent_ = 0;

  std::int64_t positive_infinities_ = 0;
  std::int64_t negative_infinities_ = 0;
  std::int64_t nans_ = 0;
};

}  // namespace plait::solve
