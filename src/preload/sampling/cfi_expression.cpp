// SPDX-License-Identifier: BSD-3-Clause
// Evaluates expressions of call frame information (DWARF 5, section 2.5).
#include "preload/sampling/cfi_text.hpp"

namespace plait::preload::sampling {

bool evaluate(const uint8_t* begin, uint32_t bytes, Memory& memory, const Registers& registers,
              const uint64_t* first, uint64_t* result) {
  constexpr unsigned kDepth = 16;
  uint64_t stack[kDepth];
  unsigned depth = 0;
  if (first) stack[depth++] = *first;
  Text text(begin, begin + bytes);
  while (text.more()) {
    const auto code = text.take<uint8_t>();
    if (depth + 1 > kDepth - 1) return false;
    const auto push = [&](uint64_t value) { stack[depth++] = value; };
    if (code >= 0x30 && code <= 0x4f) {  // DW_OP_lit
      push(code - 0x30u);
      continue;
    }
    if (code >= 0x70 && code <= 0x8f) {  // DW_OP_breg
      const unsigned number = code - 0x70u;
      const int64_t offset = text.signed_leb();
      if (!registers.knows(number)) return false;
      push(registers.value[number] + static_cast<uint64_t>(offset));
      continue;
    }
    switch (code) {
      case 0x08:
        push(text.take<uint8_t>());
        continue;
      case 0x09:
        push(static_cast<uint64_t>(int64_t{text.take<int8_t>()}));
        continue;
      case 0x0a:
        push(text.take<uint16_t>());
        continue;
      case 0x0b:
        push(static_cast<uint64_t>(int64_t{text.take<int16_t>()}));
        continue;
      case 0x0c:
        push(text.take<uint32_t>());
        continue;
      case 0x0d:
        push(static_cast<uint64_t>(int64_t{text.take<int32_t>()}));
        continue;
      case 0x10:
        push(text.unsigned_leb());
        continue;
      case 0x11:
        push(static_cast<uint64_t>(text.signed_leb()));
        continue;
      default:
        break;
    }
    if (depth == 0) return false;
    uint64_t& top = stack[depth - 1];
    switch (code) {
      case 0x06:  // DW_OP_deref
        if (!memory.read(top, &top)) return false;
        continue;
      case 0x12:  // DW_OP_dup
        push(top);
        continue;
      case 0x13:  // DW_OP_drop
        --depth;
        continue;
      case 0x23:  // DW_OP_plus_uconst
        top += text.unsigned_leb();
        continue;
      case 0x1f:  // DW_OP_neg
        top = ~top + 1;
        continue;
      default:
        break;
    }
    if (depth < 2) return false;
    const uint64_t right = stack[--depth];
    uint64_t& left = stack[depth - 1];
    const auto a = static_cast<int64_t>(left), b = static_cast<int64_t>(right);
    switch (code) {
      case 0x1a:
        left &= right;
        break;
      case 0x1c:
        left -= right;
        break;
      case 0x1e:
        left *= right;
        break;
      case 0x21:
        left |= right;
        break;
      case 0x22:
        left += right;
        break;
      case 0x24:
        left = right < 64 ? left << right : 0;
        break;
      case 0x25:
        left = right < 64 ? left >> right : 0;
        break;
      case 0x29:
        left = a == b;
        break;
      case 0x2a:
        left = a >= b;
        break;
      case 0x2b:
        left = a > b;
        break;
      case 0x2c:
        left = a <= b;
        break;
      case 0x2d:
        left = a < b;
        break;
      case 0x2e:
        left = a != b;
        break;
      default:
        return false;
    }
  }
  if (text.failed() || depth == 0) return false;
  *result = stack[depth - 1];
  return true;
}

}  // namespace plait::preload::sampling
