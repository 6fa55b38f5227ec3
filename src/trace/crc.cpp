// SPDX-License-Identifier: BSD-3-Clause
// Checksums, eight bytes at a time by tables (Kounavis and Berry, "slicing by 8", 2005).
#include "trace/crc.hpp"

#include <array>
#include <cstring>

namespace plait::trace {

namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// @param polynomial  reflected
constexpr Tables tables_of(std::uint32_t polynomial) {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0);
    }
    tables[0][byte] = value;
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t slice = 1; slice < 8; ++slice) {
      const std::uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kCastagnoli = tables_of(0x82f63b78U);
constexpr Tables kIeee = tables_of(0xedb88320U);

std::uint32_t checksum(std::span<const std::byte> bytes, const Tables& tables) {
  std::uint32_t crc = ~0U;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint32_t low = 0, high = 0;
    std::memcpy(&low, bytes.data(), 4);
    std::memcpy(&high, bytes.data() + 4, 4);
    low ^= crc;
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^
          tables[4][low >> 24] ^ tables[3][high & 0xff] ^ tables[2][(high >> 8) & 0xff] ^
          tables[1][(high >> 16) & 0xff] ^ tables[0][high >> 24];
  }
  for (const std::byte byte : bytes) {
    crc = (crc >> 8) ^ tables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  return checksum(bytes, kCastagnoli);
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  return checksum(bytes, kIeee);
}

}  // namespace plait::trace
