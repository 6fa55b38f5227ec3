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
using Lanes = double __attribute__((vector_size(lane_count * sizeof(double))));

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
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}
/// i times `factor` times `a`: a derivative along x or y.
PLAIT_LANES_INLINE Pair times_i(const Lanes& factor, const Pair& a) {
  return {-(factor * a.im), factor * a.re};
}
PLAIT_LANES_INLINE Lanes all_lanes(double value) {
  return Lanes{} + value;
}
PLAIT_LANES_INLINE Lanes magnitude(const Lanes& a) {
  return a < 0 ? -a : a;
}
PLAIT_LANES_INLINE Lanes larger(const Lanes& a, const Lanes& b) {
  return a > b ? a : b;
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
