// SPDX-License-Identifier: BSD-3-Clause
// Encodes structures in Thrift's compact protocol (Apache Thrift, thrift-compact-protocol.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "export/varint.hpp"

namespace plait::exports {

/// Encodes nested structures. Add fields in ascending order of their numbers.
class Thrift {
public:
  void i32(int field, std::int32_t value) { number(field, kI32, value); }
  void i64(int field, std::int64_t value) { number(field, kI64, value); }
  void text(int field, std::string_view value) {
    head(field, kBinary);
    element(value);
  }
  void begin_struct(int field) {
    head(field, kStruct);
    begin_element();
  }
  void end_struct() { end_element(); }
  void begin_list_of_structs(int field, std::size_t count) { list(field, kStruct, count); }
  void begin_list_of_numbers(int field, std::size_t count) { list(field, kI32, count); }
  void begin_list_of_texts(int field, std::size_t count) { list(field, kBinary, count); }

  // Elements of a list.
  void begin_element() { last_.push_back(0); }
  void end_element() {
    bytes_ += '\0';
    last_.pop_back();
  }
  void element(std::string_view value) {
    put_varint(bytes_, value.size());
    bytes_ += value;
  }
  void element(std::int32_t value) { put_varint(bytes_, zigzag(value)); }

  /// Ends the outermost structure and returns the bytes.
  [[nodiscard]] std::string finish() { return bytes_ + '\0'; }

private:
  enum Type : std::uint8_t { kI32 = 5, kI64 = 6, kBinary = 8, kList = 9, kStruct = 12 };

  void head(int field, Type type) {
    const int delta = field - last_.back();
    if (delta > 0 && delta < 16) {
      bytes_ += static_cast<char>(delta << 4 | type);
    } else {
      bytes_ += static_cast<char>(type);
      put_varint(bytes_, zigzag(field));
    }
    last_.back() = field;
  }
  void number(int field, Type type, std::int64_t value) {
    head(field, type);
    put_varint(bytes_, zigzag(value));
  }
  void list(int field, Type type, std::size_t count) {
    head(field, kList);
    if (count < 15) {
      bytes_ += static_cast<char>(count << 4U | type);
    } else {
      bytes_ += static_cast<char>(0xf0 | type);
      put_varint(bytes_, count);
    }
  }

  std::string bytes_;
  std::vector<int> last_{0};  ///< the previous field of each open structure
};

}  // namespace plait::exports
