// SPDX-License-Identifier: BSD-3-Clause
// Reads the numbers and pointers of call frame information, and evaluates its expressions.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/sampling/cfi.hpp"

namespace plait::preload::sampling {

// DW_EH_PE_*
enum : uint8_t {
  kAbsolute = 0x00,
  kUnsigned2 = 0x02,
  kUnsigned4 = 0x03,
  kUnsigned8 = 0x04,
  kSigned2 = 0x0a,
  kSigned4 = 0x0b,
  kSigned8 = 0x0c,
  kRelative = 0x10,
  kDataRelative = 0x30,
  kIndirect = 0x80,
  kOmitted = 0xff
};

/// Reads what is in an object; beyond its end everything is 0, and `failed` is set.
class Text {
public:
  Text(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}

  template <class Value>
  Value take() {
    Value value{};
    if (static_cast<size_t>(end_ - at_) < sizeof value) return failed_ = true, value;
    memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  uint64_t unsigned_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = take<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80)) return value;
    }
    return failed_ = true, 0;
  }

  int64_t signed_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = take<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte & 0x80) continue;
      if ((byte & 0x40) && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
    return failed_ = true, 0;
  }

  /// A pointer with one of the encodings above; an indirect one is not followed.
  uint64_t pointer(uint8_t encoding) {
    if (encoding == kOmitted) return 0;
    const auto here = reinterpret_cast<uint64_t>(at_);
    uint64_t value = 0;
    switch (encoding & 0x0f) {
      case kAbsolute:
      case kUnsigned8:
      case kSigned8:
        value = take<uint64_t>();
        break;
      case kUnsigned4:
        value = take<uint32_t>();
        break;
      case kSigned4:
        value = static_cast<uint64_t>(int64_t{take<int32_t>()});
        break;
      case kUnsigned2:
        value = take<uint16_t>();
        break;
      case kSigned2:
        value = static_cast<uint64_t>(int64_t{take<int16_t>()});
        break;
      default:
        failed_ = true;
    }
    if ((encoding & 0x70) == kRelative) value += here;
    return value;
  }

  void skip(uint64_t bytes) {
    if (bytes > static_cast<size_t>(end_ - at_)) {
      failed_ = true;
      at_ = end_;
    } else {
      at_ += bytes;
    }
  }
  [[nodiscard]] const uint8_t* at() const { return at_; }
  [[nodiscard]] const uint8_t* end() const { return end_; }
  [[nodiscard]] bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  [[nodiscard]] bool more() const { return !failed_ && at_ < end_; }

private:
  const uint8_t *at_, *end_;
  bool failed_ = false;
};

/// Evaluates a DWARF expression of call frame information. False: an operation is not known.
/// @param first  on the stack at the beginning; null: nothing
bool evaluate(const uint8_t* begin, uint32_t bytes, Memory& memory, const Registers& registers,
              const uint64_t* first, uint64_t* result);

}  // namespace plait::preload::sampling
