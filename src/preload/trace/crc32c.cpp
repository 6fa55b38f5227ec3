// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C by the processor's instruction (SSE4.2) where it has one, else by a table.
#include "preload/trace/crc32c.hpp"

#include <string.h>

namespace plait::preload::trace {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78u;  // Castagnoli's, reflected (RFC 3720, appendix B.4)

uint32_t by_table(const unsigned char* data, uint64_t bytes) {
  static uint32_t table[256];
  if (!__atomic_load_n(&table[255], __ATOMIC_ACQUIRE)) {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? kPolynomial : 0);
      __atomic_store_n(&table[i], value, __ATOMIC_RELEASE);
    }
  }
  uint32_t crc = ~0u;
  for (uint64_t i = 0; i < bytes; ++i) crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
  return ~crc;
}

#if defined(__x86_64__)
bool has_instruction() {
  return __builtin_cpu_supports("sse4.2");
}

uint64_t load(const unsigned char* from) {
  uint64_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

__attribute__((target("sse4.2"))) uint32_t rest_of(uint64_t crc, const unsigned char* data,
                                                   uint64_t bytes) {
  auto last = static_cast<uint32_t>(crc);
  for (uint64_t i = 0; i < bytes; ++i) last = __builtin_ia32_crc32qi(last, data[i]);
  return ~last;
}

__attribute__((target("sse4.2"))) uint32_t by_instruction(const unsigned char* data,
                                                          uint64_t bytes) {
  uint64_t crc = ~0u;
  for (; bytes >= 8; bytes -= 8, data += 8) crc = __builtin_ia32_crc32di(crc, load(data));
  return rest_of(crc, data, bytes);
}

__attribute__((target("sse4.2"))) void three_by_instruction(const unsigned char* const (&data)[3],
                                                            uint64_t bytes, uint32_t (&crcs)[3]) {
  uint64_t first = ~0u, second = ~0u, third = ~0u;
  uint64_t at = 0;
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

uint32_t crc32c(const void* data, uint64_t bytes) {
  const auto* from = static_cast<const unsigned char*>(data);
#if defined(__x86_64__)
  if (has_instruction()) return by_instruction(from, bytes);
#endif
  return by_table(from, bytes);
}

void crc32c_of_three(const void* const (&columns)[3], uint64_t bytes, uint32_t (&crcs)[3]) {
  const unsigned char* const data[3] = {static_cast<const unsigned char*>(columns[0]),
                                        static_cast<const unsigned char*>(columns[1]),
                                        static_cast<const unsigned char*>(columns[2])};
#if defined(__x86_64__)
  if (has_instruction()) return three_by_instruction(data, bytes, crcs);
#endif
  for (int i = 0; i < 3; ++i) crcs[i] = by_table(data[i], bytes);
}

}  // namespace plait::preload::trace
