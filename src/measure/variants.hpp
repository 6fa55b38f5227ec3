// SPDX-License-Identifier: BSD-3-Clause
// What the variants of a probe's cells mean: written by the ranks, read by plait.
#pragma once

#include <array>
#include <cstddef>

namespace plait::measure {

/// overhead: the message alone (half a round trip), and what it costs either side.
namespace overhead_variant {
inline constexpr int alone = 0;
inline constexpr int send = 1;
inline constexpr int receive = 2;
}  // namespace overhead_variant

/// overlap: half a round trip, then for each amount of work the message beside it and, but for
/// none, the work alone.
namespace overlap_variant {
inline constexpr int transfer = 0;
/// Work, as a multiple of what the message takes (Stengel 2010, figure 3.5: up to twice and more).
inline constexpr std::array kAmounts{0.0, 0.5, 1.0, 1.5, 2.0, 3.0};
constexpr int beside(std::size_t amount) {
  return 1 + 2 * static_cast<int>(amount);
}
constexpr int work(std::size_t amount) {
  return 2 + 2 * static_cast<int>(amount);
}
constexpr std::size_t amount_of(int variant) {
  return static_cast<std::size_t>((variant - 1) / 2);
}
constexpr bool is_work(int variant) {
  return variant > 0 && variant % 2 == 0;
}
}  // namespace overlap_variant

/// mixed: each message alone, then both; how many in the node followed each other.
namespace mixed_variant {
inline constexpr int inter = 0;
inline constexpr int intra = 1;
inline constexpr int both = 2;
inline constexpr int in_a_row = 3;
}  // namespace mixed_variant

}  // namespace plait::measure
