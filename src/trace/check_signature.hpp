// SPDX-License-Identifier: BSD-3-Clause
// Hashes of sequences of basic datatypes that can be joined and repeated.
//
// The hash of a_1 ... a_n is the polynomial sum of a_i * B^(n-i) modulo the prime 2^61 - 1 (Rabin
// and Karp, 1987), so that hash(uv) = hash(u) * B^|v| + hash(v). Two {int, double} and a struct
// {int, double, int, double} thus have the same hash, whatever their layouts. Also used inside the
// observed process, so it needs no library.
#pragma once

#include <stdint.h>

namespace plait::check {

constexpr uint64_t kPrime = (uint64_t{1} << 61) - 1;
constexpr uint64_t kBase = 0x1a5f3c9d7e2b4681u % kPrime;

/// Hash and length of a sequence of basic types.
struct Signature {
  uint64_t hash = 0;
  uint64_t elements = 0;
  uint64_t bytes = 0;
};

/// Arithmetic modulo kPrime.
constexpr uint64_t multiply(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  const uint64_t sum =
      static_cast<uint64_t>(product & kPrime) + static_cast<uint64_t>(product >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}

constexpr uint64_t add(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}

constexpr uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base = multiply(base, base))
    if (exponent & 1) result = multiply(result, base);
  return result;
}

/// The signature of one basic type; different codes give different signatures.
constexpr Signature basic_signature(uint64_t code, uint64_t bytes) {
  return {1 + code % (kPrime - 1), 1, bytes};
}

/// The signature of one sequence followed by another.
constexpr Signature join(const Signature& first, const Signature& then) {
  return {add(multiply(first.hash, power(kBase, then.elements)), then.hash),
          first.elements + then.elements, first.bytes + then.bytes};
}

/// The signature of `count` repetitions, in O(log count).
constexpr Signature repeat(Signature unit, uint64_t count) {
  Signature result;
  for (; count; count >>= 1, unit = join(unit, unit))
    if (count & 1) result = join(result, unit);
  return result;
}

constexpr bool operator==(const Signature& a, const Signature& b) {
  return a.hash == b.hash && a.elements == b.elements && a.bytes == b.bytes;
}

}  // namespace plait::check
