// SPDX-License-Identifier: BSD-3-Clause
// The message sizes to measure, and the random order in which a round visits them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace plait::measure {

/// The largest message of curves.
inline constexpr std::uint64_t kLargestMessage = std::uint64_t{4} << 20;
/// The largest message that a step of the probe may name.
inline constexpr std::uint64_t kLargestTransfer = std::uint64_t{1} << 30;
/// The seed of all random orders. The notes of the machine file contain it, so that a run can be
/// repeated.
inline constexpr std::uint32_t kSeed = 20100216;

/// 0 and the powers of two from 1 to `largest`, ascending.
std::vector<std::uint64_t> message_sizes(std::uint64_t largest = kLargestMessage);

/// The sizes for several pairs at once: a short, a medium and two long messages.
std::vector<std::uint64_t> multi_pair_sizes();

/// The sizes at which the CPU time of messages is measured.
std::vector<std::uint64_t> overhead_sizes();

/// The sizes of consecutive messages.
std::vector<std::uint64_t> back_to_back_sizes();
/// The number of consecutive messages before an answer, from 8 to 64: enough for messages in flight
/// at the end to matter little, and about 4 MiB in total.
int back_to_back_messages(std::uint64_t bytes);

/// The sizes for a collective operation whose buffers take at most 64 MiB for all partners; at
/// least one.
/// @param wanted  in bytes, ascending; empty: 8 B, 1 KiB, 64 KiB, 1 MiB
std::vector<std::uint64_t> collective_sizes(const std::vector<std::uint64_t>& wanted, int ranks);

/// A random order of 0..count-1. Unlike with std::shuffle, it is the same with every standard
/// library for the same state of `random`.
std::vector<std::size_t> random_order(std::size_t count, std::mt19937& random);

}  // namespace plait::measure
