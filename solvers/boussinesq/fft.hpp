// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms of eight lines at a time, whose bits do not depend on the grouping of lines.
#pragma once

#include <memory>
#include <vector>

#include "fftw.hpp"
#include "lanes.hpp"

namespace plait::boussinesq {

/// Transforms of one length. Any length is possible; factors other than 2, 3, 4 and 5 are slow.
/// After use_fftw(true), FFTW computes them.
class Fft {
public:
  explicit Fft(int length);

  /// Sums over j of line[j] exp(-+2 pi i j k / length), without a factor: minus forwards, plus if
  /// `inverse`. Both arrays have `length` elements and are overwritten.
  /// @return the array with the result, one of the two
  Pair* transform(Pair* line, Pair* scratch, bool inverse) const;

  [[nodiscard]] int length() const { return length_; }
  /// exp(-2 pi i j / length), 0 <= j < length.
  [[nodiscard]] const Complex& root(int j) const { return roots_[static_cast<std::size_t>(j)]; }

private:
  int length_;
  std::vector<int> factors_;
  std::vector<Complex> roots_;
  std::shared_ptr<const FftwPlan> fftw_;  ///< if in use
};

/// Transforms of real lines of one even length, of which the lowest wave numbers are kept. A line
/// of n real numbers is held as n / 2 Pairs: the even ones in `re`, the odd ones in `im`.
class RealFft {
public:
  /// @param kept  wave numbers 0 to kept - 1; less than half of the length
  RealFft(int length, int kept);

  /// From values to kept modes: sums over j of x[j] exp(-2 pi i j k / length).
  /// @param line     length / 2 elements; overwritten
  /// @param scratch  as many
  /// @param modes    `kept` elements
  void to_modes(Pair* line, Pair* scratch, Pair* modes) const;
  /// From modes, of which those of negative wave numbers are the conjugates, to values.
  /// @return the array with the values, `line` or `scratch`
  Pair* to_values(const Pair* modes, Pair* line, Pair* scratch) const;

private:
  Fft half_;
  int kept_;
  std::vector<Complex> roots_;  ///< exp(-2 pi i k / length)
};

}  // namespace plait::boussinesq
