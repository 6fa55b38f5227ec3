// SPDX-License-Identifier: BSD-3-Clause
// Eight complex numbers at a time: the unit of all transforms and column operations. What happens
// in one lane never depends on the others, so results do not depend on how lines are grouped.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>

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
PLAIT_LANES_INLINE Lanes operator/(const Lanes& a, const Lanes& b) {
  return {a.low / b.low, a.high / b.high};
}
PLAIT_LANES_INLINE Lanes operator/(double a, const Lanes& b) {
  return {a / b.low, a / b.high};
}
PLAIT_LANES_INLINE Lanes operator+(const Lanes& a, double b) {
  return {a.low + b, a.high + b};
}
PLAIT_LANES_INLINE Lanes operator-(double a, const Lanes& b) {
  return {a - b.low, a - b.high};
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
/// b where a is not a number.
PLAIT_LANES_INLINE Lanes smaller(const Lanes& a, const Lanes& b) {
  return {a.low < b.low ? a.low : b.low, a.high < b.high ? a.high : b.high};
}
PLAIT_LANES_INLINE Lanes square_root(const Lanes& a) {
  Lanes root;
  for (int k = 0; k < lane_count / 2; ++k) {
    root.low[k] = std::sqrt(a.low[k]);
    root.high[k] = std::sqrt(a.high[k]);
  }
  return root;
}
/// `value` where `a` is above 0, elsewhere `other`.
PLAIT_LANES_INLINE Lanes where_positive(const Lanes& a, const Lanes& value,
                                        const Lanes& other = Lanes{}) {
  return {a.low > 0 ? value.low : other.low, a.high > 0 ? value.high : other.high};
}

/// Exchanges x and y in the lanes where |a| is above |b|.
PLAIT_LANES_INLINE void swap_where_larger(const Lanes& a, const Lanes& b, Lanes& x, Lanes& y) {
  const Lanes size_a = magnitude(a), size_b = magnitude(b), old = x;
  x = {size_a.low > size_b.low ? y.low : x.low, size_a.high > size_b.high ? y.high : x.high};
  y = {size_a.low > size_b.low ? old.low : y.low, size_a.high > size_b.high ? old.high : y.high};
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
/// Elements of two vectors: those of the second one have numbers from 4.
template <int n0, int n1, int n2, int n3>
PLAIT_LANES_INLINE Lanes::Half shuffle(const Lanes::Half& a, const Lanes::Half& b) {
#ifdef __clang__
  return __builtin_shufflevector(a, b, n0, n1, n2, n3);
#else
  using Numbers = long long __attribute__((vector_size(sizeof(Lanes::Half))));
  return __builtin_shuffle(a, b, Numbers{n0, n1, n2, n3});
#endif
}

/// Eight complex numbers in memory: two in each vector. All loads and stores are of whole numbers,
/// because a load of what several stores have just written waits for these.
struct Numbers {
  Lanes::Half two[lane_count / 2];
};
/// A vector among complex numbers. Compilers copy larger objects in pieces by way of the stack.
/// (A structure, because GCC and Clang disagree about the alignment of a vector type with
/// attributes.)
struct __attribute__((packed, may_alias)) HalfInMemory {
  Lanes::Half half;
};
PLAIT_LANES_INLINE Lanes::Half two_numbers(const Complex& a, const Complex& b) {
  return Lanes::Half{a.real(), a.imag(), b.real(), b.imag()};
}
PLAIT_LANES_INLINE Pair pair_of(const Numbers& n) {
  return {{shuffle<0, 2, 4, 6>(n.two[0], n.two[1]), shuffle<0, 2, 4, 6>(n.two[2], n.two[3])},
          {shuffle<1, 3, 5, 7>(n.two[0], n.two[1]), shuffle<1, 3, 5, 7>(n.two[2], n.two[3])}};
}
PLAIT_LANES_INLINE Numbers numbers_of(const Pair& pair) {
  return {{shuffle<0, 4, 1, 5>(pair.re.low, pair.im.low),
           shuffle<2, 6, 3, 7>(pair.re.low, pair.im.low),
           shuffle<0, 4, 1, 5>(pair.re.high, pair.im.high),
           shuffle<2, 6, 3, 7>(pair.re.high, pair.im.high)}};
}

/// Reads `count` complex numbers that are `stride` apart; the other lanes are zero.
PLAIT_LANES_INLINE Pair load(const Complex* from, std::int64_t stride, int count) {
  const Complex zero;
  Numbers numbers;
#pragma GCC unroll 4
  for (int k = 0; k < lane_count / 2; ++k) {
    const Complex* first = from + stride * 2 * k;
    const int rest = count - 2 * k;
    numbers.two[k] = rest > 1    ? two_numbers(*first, first[stride])
                     : rest == 1 ? two_numbers(*first, zero)
                                 : two_numbers(zero, zero);
  }
  return pair_of(numbers);
}
/// The same of neighbours.
PLAIT_LANES_INLINE Pair load(const Complex* from, int count) {
  if (count < lane_count) return load(from, 1, count);
  const auto* two = reinterpret_cast<const HalfInMemory*>(from);
  return pair_of({{two[0].half, two[1].half, two[2].half, two[3].half}});
}
/// Asks for eight neighbours that are soon read. Inline only: in a function of its own, which has
/// no effect that compilers see, they would leave it out.
PLAIT_LANES_INLINE void prefetch(const Complex* numbers) {
  for (const int element : {0, lane_count / 2, lane_count - 1}) {
    __builtin_prefetch(numbers + element);
  }
}
PLAIT_LANES_INLINE void store(const Pair& pair, Complex* to, std::int64_t stride, int count) {
  const Numbers numbers = numbers_of(pair);
#pragma GCC unroll 8
  for (int lane = 0; lane < lane_count; ++lane) {
    if (lane >= count) return;
    const Lanes::Half& two = numbers.two[lane / 2];
    to[stride * lane] = lane % 2 == 0 ? Complex(two[0], two[1]) : Complex(two[2], two[3]);
  }
}
PLAIT_LANES_INLINE void store(const Pair& pair, Complex* to, int count) {
  if (count < lane_count) return store(pair, to, 1, count);
  const Numbers numbers = numbers_of(pair);
  auto* two = reinterpret_cast<HalfInMemory*>(to);
  for (int k = 0; k < lane_count / 2; ++k) two[k].half = numbers.two[k];
}

}  // namespace plait::boussinesq
