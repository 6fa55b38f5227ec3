// SPDX-License-Identifier: BSD-3-Clause
// The variants of the cells of the probe: written by the ranks, read by plait.
#pragma once

#include <array>
#include <cstddef>

namespace plait::measure {

/// overhead: the message alone (half a round trip), and its CPU time on either side.
namespace overhead_variant {
inline constexpr int alone = 0;
inline constexpr int send = 1;
inline constexpr int receive = 2;
}  // namespace overhead_variant

/// overlap: half a round trip; then for each amount of work the message during that work and,
/// unless there is none, the work alone.
namespace overlap_variant {
inline constexpr int transfer = 0;
/// Work as a multiple of the time of the message (Stengel 2010, figure 3.5: up to twice and more).
/// Six of them are between half and twice, where most can be hidden (model/overlap_verdict.hpp).
inline constexpr std::array kAmounts{0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0};
/// A fact: the threads that worked.
inline constexpr int threads = -1;
/// The message during work of this amount (index of kAmounts).
constexpr int beside(std::size_t amount) {
  return 1 + 2 * static_cast<int>(amount);
}
/// The work of this amount alone.
constexpr int work(std::size_t amount) {
  return 2 + 2 * static_cast<int>(amount);
}
/// The amount of a variant of the two above.
constexpr std::size_t amount_of(int variant) {
  return static_cast<std::size_t>((variant - 1) / 2);
}
/// True for work alone.
constexpr bool is_work(int variant) {
  return variant > 0 && variant % 2 == 0;
}
}  // namespace overlap_variant

/// mixed: each message alone, then both.
namespace mixed_variant {
inline constexpr int inter = 0;
inline constexpr int intra = 1;
inline constexpr int both = 2;
}  // namespace mixed_variant

}  // namespace plait::measure
