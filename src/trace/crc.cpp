// SPDX-License-Identifier: BSD-3-Clause
// CRC-32 checksums: by the processor's instruction, or by tables with eight bytes at a time
// (Kounavis and Berry, "slicing by 8", 2005).
#include "trace/crc.hpp"

#include <cstring>

namespace plait::trace {

namespace {

struct Tables {
  std::uint32_t of[8][256];
};

/// @param polynomial  reflected
constexpr Tables tables_of(std::uint32_t polynomial) {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0);
    }
    tables.of[0][byte] = value;
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t slice = 1; slice < 8; ++slice) {
      const std::uint32_t before = tables.of[slice - 1][byte];
      tables.of[slice][byte] = (before >> 8) ^ tables.of[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kCastagnoli = tables_of(0x82f63b78U);
constexpr Tables kIeee = tables_of(0xedb88320U);

/// @param before  the checksum of the bytes before these; 0: there are none
std::uint32_t by_table(const unsigned char* data, std::uint64_t bytes, const Tables& tables,
                       std::uint32_t before = 0) {
  const auto& of = tables.of;
  std::uint32_t crc = ~before;
  for (; bytes >= 8; bytes -= 8, data += 8) {
    std::uint32_t low = 0, high = 0;
    std::memcpy(&low, data, 4);
    std::memcpy(&high, data + 4, 4);
    low ^= crc;
    crc = of[7][low & 0xff] ^ of[6][(low >> 8) & 0xff] ^ of[5][(low >> 16) & 0xff] ^
          of[4][low >> 24] ^ of[3][high & 0xff] ^ of[2][(high >> 8) & 0xff] ^
          of[1][(high >> 16) & 0xff] ^ of[0][high >> 24];
  }
  for (; bytes > 0; --bytes, ++data) {
    crc = (crc >> 8) ^ of[0][(crc ^ *data) & 0xff];
  }
  return ~crc;
}

#if defined(__x86_64__)
bool has_instruction() {
  return __builtin_cpu_supports("sse4.2") != 0;
}

std::uint64_t load(const unsigned char* from) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

__attribute__((target("sse4.2"))) std::uint32_t rest_of(std::uint64_t crc,
                                                        const unsigned char* data,
                                                        std::uint64_t bytes) {
  auto last = static_cast<std::uint32_t>(crc);
  for (std::uint64_t i = 0; i < bytes; ++i) {
    last = __builtin_ia32_crc32qi(last, data[i]);
  }
  return ~last;
}

__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const unsigned char* data,
                                                               std::uint64_t bytes,
                                                               std::uint32_t before) {
  std::uint64_t crc = ~before;
  for (; bytes >= 8; bytes -= 8, data += 8) {
    crc = __builtin_ia32_crc32di(crc, load(data));
  }
  return rest_of(crc, data, bytes);
}

__attribute__((target("sse4.2"))) void three_by_instruction(const unsigned char* const (&data)[3],
                                                            std::uint64_t bytes,
                                                            std::uint32_t (&crcs)[3]) {
  std::uint64_t first = ~0U, second = ~0U, third = ~0U;
  std::uint64_t at = 0;
  for (; at + 8 <= bytes; at += 8) {
    first = __builtin_ia32_crc32di(first, load(data[0] + at));
    second = __builtin_ia32_crc32di(second, load(data[1] + at));
    third = __builtin_ia32_crc32di(third, load(data[2] + at));
  }
  crcs[0] = rest_of(first, data[0] + at, bytes - at);
  crcs[1] = rest_of(second, data[1] + at, bytes - at);
  crcs[2] = rest_of(third, data[2] + at, bytes - at);
}
#endif

}  // namespace

std::uint32_t crc32c(const void* data, std::uint64_t bytes, std::uint32_t before) {
  const auto* from = static_cast<const unsigned char*>(data);
#if defined(__x86_64__)
  if (has_instruction()) {
    return by_instruction(from, bytes, before);
  }
#endif
  return by_table(from, bytes, kCastagnoli, before);
}

void crc32c_of_three(const void* const (&columns)[3], std::uint64_t bytes,
                     std::uint32_t (&crcs)[3]) {
  const unsigned char* const data[3] = {static_cast<const unsigned char*>(columns[0]),
                                        static_cast<const unsigned char*>(columns[1]),
                                        static_cast<const unsigned char*>(columns[2])};
#if defined(__x86_64__)
  if (has_instruction()) {
    return three_by_instruction(data, bytes, crcs);
  }
#endif
  for (int i = 0; i < 3; ++i) {
    crcs[i] = by_table(data[i], bytes, kCastagnoli);
  }
}

std::uint32_t crc32(std::span<const std::byte> bytes) {
  return by_table(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), kIeee);
}

}  // namespace plait::trace
