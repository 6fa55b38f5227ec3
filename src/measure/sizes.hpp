// SPDX-License-Identifier: BSD-3-Clause
// The message sizes that are measured, and the random order in which a round visits them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace plait::measure {

/// The largest message that is measured.
inline constexpr std::uint64_t kLargestMessage = std::uint64_t{4} << 20;
/// Seed of all random orders; stored in the machine file's notes, so that a run can be repeated.
inline constexpr std::uint32_t kSeed = 20100216;

/// 0 and the powers of two from 1 up to `largest`, rising.
std::vector<std::uint64_t> message_sizes(std::uint64_t largest = kLargestMessage);

/// The sizes at which several pairs at once are measured: a short, a middle and two long messages.
std::vector<std::uint64_t> multi_pair_sizes();

/// The sizes at which a message's cost for the processor is measured.
std::vector<std::uint64_t> overhead_sizes();

/// The sizes at which messages follow each other.
std::vector<std::uint64_t> back_to_back_sizes();
/// How many of them follow each other before an answer: enough that what is in flight at the end
/// counts little, and no more than 4 MiB.
int back_to_back_messages(std::uint64_t bytes);

/// Those of a collective's sizes whose buffers fit: at most 64 MiB for all partners together.
/// @param wanted  empty: 8 B, 1 KiB, 64 KiB, 1 MiB
std::vector<std::uint64_t> collective_sizes(const std::vector<std::uint64_t>& wanted, int ranks);

/// A random order of 0..count-1; the same on every system for the same state of `random` (unlike
/// std::shuffle, whose order a library may choose).
std::vector<std::size_t> random_order(std::size_t count, std::mt19937& random);

}  // namespace plait::measure
