// SPDX-License-Identifier: BSD-3-Clause
// Eight complex numbers at a time: the unit of all transforms and column operations. What happens
// in one lane never depends on the others, so results do not depend on how lines are grouped.
#pragma once

#include <array>
#include <complex>

// One copy of a function for each vector length. All copies give the same bits, because they are
// compiled without fused multiply-add (-ffp-contract=off).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(PLAIT_COVERAGE)
#define PLAIT_EACH_VECTOR_LENGTH __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define PLAIT_EACH_VECTOR_LENGTH
#endif
#define PLAIT_LANES_INLINE inline __attribute__((always_inline))

namespace plait::boussinesq {

using Complex = std::complex<double>;

constexpr int lane_count = 8;

/// Eight numbers, in two vectors of the length that most processors have.
struct alignas(64) Lanes {
  using Half = double __attribute__((vector_size(lane_count / 2 * sizeof(double))));
  Half low, high;

  // A vector may be accessed as an array of its elements.
  PLAIT_LANES_INLINE double& operator[](int lane) { return reinterpret_cast<double*>(this)[lane]; }
  PLAIT_LANES_INLINE double operator[](int lane) const {
    return reinterpret_cast<const double*>(this)[lane];
  }
};

PLAIT_LANES_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  return {a.low + b.low, a.high + b.high};
}
PLAIT_LANES_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  return {a.low - b.low, a.high - b.high};
}
PLAIT_LANES_INLINE Lanes operator*(const Lanes& a, const Lanes& b) {
  return {a.low * b.low, a.high * b.high};
}
PLAIT_LANES_INLINE Lanes operator*(double a, const Lanes& b) {
  return {a * b.low, a * b.high};
}
PLAIT_LANES_INLINE Lanes operator/(double a, const Lanes& b) {
  return {a / b.low, a / b.high};
}
PLAIT_LANES_INLINE Lanes operator+(const Lanes& a, double b) {
  return {a.low + b, a.high + b};
}
PLAIT_LANES_INLINE Lanes operator-(const Lanes& a) {
  return {-a.low, -a.high};
}
PLAIT_LANES_INLINE Lanes& operator+=(Lanes& a, const Lanes& b) {
  return a = a + b;
}
PLAIT_LANES_INLINE Lanes all_lanes(double value) {
  return Lanes{} + value;
}
PLAIT_LANES_INLINE Lanes magnitude(const Lanes& a) {
  return {a.low < 0 ? -a.low : a.low, a.high < 0 ? -a.high : a.high};
}
PLAIT_LANES_INLINE Lanes larger(const Lanes& a, const Lanes& b) {
  return {a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
/// `value` where `a` is above 0, elsewhere 0.
PLAIT_LANES_INLINE Lanes where_positive(const Lanes& a, const Lanes& value) {
  const Lanes zero{};
  return {a.low > 0 ? value.low : zero.low, a.high > 0 ? value.high : zero.high};
}

/// Complex numbers, one in each lane.
struct alignas(64) Pair {
  Lanes re, im;
};

PLAIT_LANES_INLINE Pair operator+(const Pair& a, const Pair& b) {
  return {a.re + b.re, a.im + b.im};
}
PLAIT_LANES_INLINE Pair operator-(const Pair& a, const Pair& b) {
  return {a.re - b.re, a.im - b.im};
}
/// The same factor in all lanes, or one factor for each lane.
PLAIT_LANES_INLINE Pair operator*(double factor, const Pair& a) {
  return {factor * a.re, factor * a.im};
}
PLAIT_LANES_INLINE Pair operator*(const Lanes& factor, const Pair& a) {
  return {factor * a.re, factor * a.im};
}
PLAIT_LANES_INLINE Pair times(const Pair& a, double re, double im) {
  return {re * a.re - im * a.im, im * a.re + re * a.im};
}
/// i times `factor` times `a`: a derivative along x or y.
PLAIT_LANES_INLINE Pair times_i(const Lanes& factor, const Pair& a) {
  return {-(factor * a.im), factor * a.re};
}
/// Reads `count` complex numbers; the other lanes are zero.
PLAIT_LANES_INLINE Pair load(const Complex* from, int count) {
  Pair pair{};
  for (int lane = 0; lane < count; ++lane) {
    pair.re[lane] = from[lane].real();
    pair.im[lane] = from[lane].imag();
  }
  return pair;
}
PLAIT_LANES_INLINE void store(const Pair& pair, Complex* to, int count) {
  for (int lane = 0; lane < count; ++lane) to[lane] = {pair.re[lane], pair.im[lane]};
}

}  // namespace plait::boussinesq
