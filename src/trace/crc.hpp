// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 checksums of trace files, for readers and for preloaded processes.
//
// Freestanding: the preload objects compile crc.cpp too, and link no C++ run-time library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plait::trace {

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4) of raw event files and containers. Uses the
/// processor's instruction (SSE4.2) if it has one, otherwise tables.
/// @param before  the checksum of the bytes before these, to continue it; 0: there are none
std::uint32_t crc32c(const void* data, std::uint64_t bytes, std::uint32_t before = 0);
inline std::uint32_t crc32c(std::span<const std::byte> bytes) {
  return crc32c(bytes.data(), bytes.size());
}

/// The CRC-32C of each of three columns of equal length. Takes hardly longer than one column: the
/// processor's instruction has a latency of three cycles but starts every cycle.
void crc32c_of_three(const void* const (&columns)[3], std::uint64_t bytes,
                     std::uint32_t (&crcs)[3]);

/// CRC-32 (IEEE 802.3) of packed traces, as Python's zlib module computes it.
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace plait::trace
