// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms: Stockham's self-sorting algorithm with decimation in frequency (C. Van Loan,
// Computational Frameworks for the Fast Fourier Transform, 1992, section 1.7).
#include "fft.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

namespace plait::boussinesq {
namespace {

std::vector<Complex> roots_of_unity(int n, int count) {
  std::vector<Complex> roots;
  for (int j = 0; j < count; ++j) {
    const double angle = 2 * std::numbers::pi * j / n;
    roots.emplace_back(std::cos(angle), -std::sin(angle));
  }
  // Quarter turns exactly, so that real input stays real.
  for (int quarter = 1; quarter < 4; ++quarter) {
    const int j = quarter * n / 4;
    if (quarter * n % 4 == 0 && j < count) {
      roots[static_cast<std::size_t>(j)] = quarter == 1   ? Complex(0, -1)
                                           : quarter == 2 ? Complex(-1, 0)
                                                          : Complex(0, 1);
    }
  }
  return roots;
}

/// -i a forwards, i a backwards.
template <bool inverse>
PLAIT_LANES_INLINE Pair quarter_turn(const Pair& a) {
  if constexpr (inverse) return {-a.im, a.re};
  return {a.im, -a.re};
}

template <bool inverse>
PLAIT_LANES_INLINE void butterfly(Pair (&a)[2]) {
  const Pair sum = a[0] + a[1];
  a[1] = a[0] - a[1];
  a[0] = sum;
}

template <bool inverse>
PLAIT_LANES_INLINE void butterfly(Pair (&a)[3]) {
  constexpr double sine = 0.86602540378443864676;
  const Pair sum = a[1] + a[2];
  const Pair turned = sine * quarter_turn<inverse>(a[1] - a[2]);
  const Pair middle = a[0] - 0.5 * sum;
  a[0] = a[0] + sum;
  a[1] = middle + turned;
  a[2] = middle - turned;
}

template <bool inverse>
PLAIT_LANES_INLINE void butterfly(Pair (&a)[4]) {
  const Pair even = a[0] + a[2];
  const Pair even_less = a[0] - a[2];
  const Pair odd = a[1] + a[3];
  const Pair odd_less = quarter_turn<inverse>(a[1] - a[3]);
  a[0] = even + odd;
  a[1] = even_less + odd_less;
  a[2] = even - odd;
  a[3] = even_less - odd_less;
}

template <bool inverse>
PLAIT_LANES_INLINE void butterfly(Pair (&a)[5]) {
  constexpr double cos1 = 0.30901699437494742410, cos2 = -0.80901699437494742410;
  constexpr double sin1 = 0.95105651629515357212, sin2 = 0.58778525229247312917;
  const Pair sum1 = a[1] + a[4], less1 = quarter_turn<inverse>(a[1] - a[4]);
  const Pair sum2 = a[2] + a[3], less2 = quarter_turn<inverse>(a[2] - a[3]);
  const Pair first = a[0] + cos1 * sum1 + cos2 * sum2, turned1 = sin1 * less1 + sin2 * less2;
  const Pair second = a[0] + cos2 * sum1 + cos1 * sum2, turned2 = sin2 * less1 - sin1 * less2;
  a[0] = a[0] + sum1 + sum2;
  a[1] = first + turned1;
  a[4] = first - turned1;
  a[2] = second + turned2;
  a[3] = second - turned2;
}

/// One factor of the length: `parts` transforms of `radix` elements, for each of `stride` lines.
template <int radix, bool inverse>
PLAIT_LANES_INLINE void pass(const Pair* x, Pair* y, int parts, int stride, const Complex* roots) {
  for (int p = 0; p < parts; ++p) {
    Complex twiddle[radix];
    for (int k = 1; k < radix; ++k) {
      const Complex root = roots[static_cast<std::ptrdiff_t>(p) * k * stride];
      twiddle[k] = inverse ? std::conj(root) : root;
    }
    for (int q = 0; q < stride; ++q) {
      Pair a[radix];
      for (int j = 0; j < radix; ++j) a[j] = x[q + stride * (p + parts * j)];
      butterfly<inverse>(a);
      Pair* out = y + q + stride * radix * p;
      out[0] = a[0];
      for (int k = 1; k < radix; ++k) {
        out[stride * k] = p == 0 ? a[k] : times(a[k], twiddle[k].real(), twiddle[k].imag());
      }
    }
  }
}

/// The same for any factor, by the definition.
template <bool inverse>
PLAIT_LANES_INLINE void general_pass(const Pair* x, Pair* y, int radix, int parts, int stride,
                                     const Complex* roots) {
  const int turn = parts * stride;  // of the roots, for one step of a transform of `radix`
  for (int p = 0; p < parts; ++p) {
    for (int q = 0; q < stride; ++q) {
      for (int k = 0; k < radix; ++k) {
        Pair sum = x[q + stride * p];
        for (int j = 1; j < radix; ++j) {
          const Complex root = roots[static_cast<std::ptrdiff_t>(j) * k % radix * turn];
          sum = sum + times(x[q + stride * (p + parts * j)], root.real(),
                            inverse ? -root.imag() : root.imag());
        }
        const Complex root = roots[static_cast<std::ptrdiff_t>(p) * k * stride];
        y[q + stride * (radix * p + k)] =
            times(sum, root.real(), inverse ? -root.imag() : root.imag());
      }
    }
  }
}

template <bool inverse>
PLAIT_LANES_INLINE Pair* run(const std::vector<int>& factors, const Complex* roots, Pair* x,
                             Pair* y, int length) {
  int stride = 1;
  for (const int radix : factors) {
    const int parts = length / radix / stride;
    switch (radix) {
      case 2:
        pass<2, inverse>(x, y, parts, stride, roots);
        break;
      case 3:
        pass<3, inverse>(x, y, parts, stride, roots);
        break;
      case 4:
        pass<4, inverse>(x, y, parts, stride, roots);
        break;
      case 5:
        pass<5, inverse>(x, y, parts, stride, roots);
        break;
      default:
        general_pass<inverse>(x, y, radix, parts, stride, roots);
    }
    stride *= radix;
    std::swap(x, y);
  }
  return x;
}

PLAIT_EACH_VECTOR_LENGTH
Pair* forwards(const std::vector<int>& factors, const Complex* roots, Pair* x, Pair* y, int n) {
  return run<false>(factors, roots, x, y, n);
}
PLAIT_EACH_VECTOR_LENGTH
Pair* backwards(const std::vector<int>& factors, const Complex* roots, Pair* x, Pair* y, int n) {
  return run<true>(factors, roots, x, y, n);
}

PLAIT_LANES_INLINE Pair conjugate(const Pair& a) {
  return {a.re, -a.im};
}

// Values x[2j] + i x[2j+1] have the transform Z. That of x is E + w^k O, of E and O those of the
// even and of the odd values: E = (Z[k] + conj Z[h-k]) / 2, O = (Z[k] - conj Z[h-k]) / 2i.
PLAIT_EACH_VECTOR_LENGTH
void split(const Pair* z, int half, int kept, const Complex* roots, Pair* modes) {
  for (int k = 0; k < kept; ++k) {
    const Pair mirrored = conjugate(z[k == 0 ? 0 : half - k]);
    const Pair even = 0.5 * (z[k] + mirrored);
    const Pair odd = 0.5 * quarter_turn<false>(z[k] - mirrored);
    modes[k] = even + times(odd, roots[k].real(), roots[k].imag());
  }
}

/// The reverse of split(), times 2. The mean is real: the imaginary part is rounding, and is left
/// out.
PLAIT_EACH_VECTOR_LENGTH
void join(const Pair* modes, int half, int kept, const Complex* roots, Pair* z) {
  const Pair zero{}, mean{modes[0].re, zero.im};
  for (int k = 0; k < half; ++k) {
    const Pair& own = k == 0 ? mean : k < kept ? modes[k] : zero;
    const Pair& other = half - k < kept ? modes[half - k] : zero;
    const Pair mirrored{other.re, -other.im};
    const Pair odd = times(own - mirrored, roots[k].real(), -roots[k].imag());
    z[k] = own + mirrored + quarter_turn<true>(odd);
  }
}

}  // namespace

Fft::Fft(int length)
    : length_(length), roots_(roots_of_unity(length, length)), fftw_(FftwPlan::make(length)) {
  int rest = length;
  for (int factor = 4; rest > 1;) {
    if (rest % factor == 0) {
      factors_.push_back(factor);
      rest /= factor;
    } else {
      factor = factor == 4 ? 2 : factor == 2 ? 3 : factor + 2;
    }
  }
}

Pair* Fft::transform(Pair* line, Pair* scratch, bool inverse) const {
  if (fftw_) {
    fftw_->transform(line, scratch, inverse);
    return scratch;
  }
  return inverse ? backwards(factors_, roots_.data(), line, scratch, length_)
                 : forwards(factors_, roots_.data(), line, scratch, length_);
}

RealFft::RealFft(int length, int kept)
    : half_(length / 2), kept_(kept), roots_(roots_of_unity(length, length / 2)) {}

void RealFft::to_modes(Pair* line, Pair* scratch, Pair* modes) const {
  split(half_.transform(line, scratch, false), half_.length(), kept_, roots_.data(), modes);
}

Pair* RealFft::to_values(const Pair* modes, Pair* line, Pair* scratch) const {
  join(modes, half_.length(), kept_, roots_.data(), line);
  return half_.transform(line, scratch, true);
}

}  // namespace plait::boussinesq
