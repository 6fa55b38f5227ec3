// SPDX-License-Identifier: BSD-3-Clause
// Encodes messages of Protocol Buffers (protobuf.dev, "Encoding").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plait::exports {

/// One message: fields appended one after the other.
class Protobuf {
public:
  void varint(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    raw(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift);
  }
  void text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    raw(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const Protobuf& value) { text(field, value.bytes_); }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

private:
  void key(std::uint32_t field, std::uint32_t wire_type) { raw(field << 3U | wire_type); }
  void raw(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace plait::exports
