// SPDX-License-Identifier: BSD-3-Clause
// Unwinds one frame by the call frame information (.eh_frame) of its module.
//
// Everything here is async-signal-safe: it neither allocates nor locks, and it reads the stack only
// through Memory, which refuses addresses that are not mapped. Format: DWARF 5, section 6.4, and
// the Linux Standard Base, chapter 10.6 (.eh_frame, .eh_frame_hdr).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace plait::preload::sampling {

/// A loaded object, as the dynamic linker knows it.
struct Object {
  uintptr_t start, end;
  uintptr_t bias;
  const char* name;
  const uint8_t* eh_frame_hdr;  ///< null: it has none
};

/// The object that contains the address. False: none. Async-signal-safe.
bool find_object(uintptr_t address, Object* object);

/// Looks for the dynamic linker's own lookup, and lists the objects that are loaded now if it has
/// none. Not async-signal-safe.
void learn_objects();

/// Memory of the calling process that may not be mapped.
class Memory {
public:
  /// @param low, high  bounds of the stack, which is mapped
  Memory(uintptr_t low, uintptr_t high) : low_(low), high_(high) {}

  /// Reads a word. False: it is not mapped, or too much was read outside of the stack.
  bool read(uintptr_t address, uint64_t* word);

  [[nodiscard]] uintptr_t low() const { return low_; }
  [[nodiscard]] uintptr_t high() const { return high_; }

private:
  static constexpr uintptr_t kWindow = 256;  // bytes, of one page

  uintptr_t low_, high_;
  int outside_ = 1024;  // windows that may be outside, each read by a system call
  uintptr_t window_at_ = 1;
  uint64_t window_[kWindow / sizeof(uint64_t)];
};

/// Registers by DWARF number (x86-64: 6 rbp, 7 rsp, 16 the return address).
struct Registers {
  static constexpr unsigned kCount = 17, kFramePointer = 6, kStack = 7, kReturn = 16;
  uint64_t value[kCount];
  uint32_t known;  ///< bit n: value[n] is known

  [[nodiscard]] bool knows(unsigned number) const {
    return number < kCount && ((known >> number) & 1);
  }
  void set(unsigned number, uint64_t to) {
    value[number] = to;
    known |= 1u << number;
  }
  void forget(unsigned number) { known &= ~(1u << number); }
};

/// How a register of the caller is found.
struct Rule {
  enum Kind : uint8_t { same, undefined, offset, val_offset, reg, expression, val_expression };
  Kind kind;
  int64_t number;       ///< offset from the CFA, or a register
  const uint8_t* text;  ///< of an expression
  uint32_t bytes;
};

/// The rules at one address.
struct Row {
  bool cfa_is_expression;
  unsigned cfa_register;
  int64_t cfa_offset;
  const uint8_t* cfa_text;
  uint32_t cfa_bytes;
  Rule rules[Registers::kCount];
};

/// Room for the interpreter: too much for a small stack.
struct CfiScratch {
  Row row, initial, kept[8];
};

/// The simple rules of an address: the CFA is a register and an offset, the return address is just
/// below the CFA, and each register is the same or on the stack.
struct QuickRow {
  uintptr_t pc;  ///< 0: free
  int32_t cfa_offset;
  uint8_t cfa_register;
  int16_t saved[6];  ///< offset from the CFA of rbx, rbp, r12 to r15; 0: the same
};

constexpr size_t kQuickRows = 1024;  // a power of two

enum class Step { done, end, unknown };  // end: it is the outermost frame

/// Replaces the registers by those of the caller.
/// @param exact  pc is the next instruction (innermost frame, or below a signal handler), and not a
///               return address; set for the caller
Step unwind_by_cfi(Memory& memory, Registers& registers, bool* exact, CfiScratch& scratch,
                   QuickRow* quick);

/// The same by the frame pointer, for code without call frame information.
Step unwind_by_frame_pointer(Memory& memory, Registers& registers, bool* exact);

}  // namespace plait::preload::sampling
