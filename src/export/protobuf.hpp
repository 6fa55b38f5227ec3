// SPDX-License-Identifier: BSD-3-Clause
// Encodes Protocol Buffers messages (protobuf.dev, "Encoding").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "export/varint.hpp"

namespace plait::exports {

/// One message. Fields are appended in the order of the calls.
class Protobuf {
public:
  void varint(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    put_varint(bytes_, value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift);
  }
  void text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    put_varint(bytes_, value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const Protobuf& value) { text(field, value.bytes_); }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

private:
  void key(std::uint32_t field, std::uint32_t wire_type) {
    put_varint(bytes_, field << 3U | wire_type);
  }

  std::string bytes_;
};

}  // namespace plait::exports
