// SPDX-License-Identifier: BSD-3-Clause
// Wraps bytes as a gzip file (RFC 1952) of stored blocks (RFC 1951, 3.2.4): for readers that
// require the format; it is not smaller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trace/crc.hpp"

namespace plait::exports {

inline std::string gzip(std::string_view bytes) {
  constexpr std::size_t kMostStored = 65535;
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);  // deflate; no time; unknown system
  const auto put = [&](std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  };
  std::size_t at = 0;
  do {
    const std::size_t length = std::min(kMostStored, bytes.size() - at);
    const bool is_last = at + length == bytes.size();
    put(is_last ? 1 : 0, 1);
    put(length, 2);
    put(~length, 2);
    out += bytes.substr(at, length);
    at += length;
  } while (at < bytes.size());
  put(trace::crc32(std::as_bytes(std::span(bytes))), 4);
  put(bytes.size(), 4);
  return out;
}

}  // namespace plait::exports
