// SPDX-License-Identifier: BSD-3-Clause
// Checksums of chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plait::trace {

/// CRC-32C (Castagnoli; RFC 3720, appendix B.4), of raw event files: processors compute it.
std::uint32_t crc32c(std::span<const std::byte> bytes);

/// CRC-32 (IEEE 802.3), of packed traces: Python's zlib module computes it.
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace plait::trace
