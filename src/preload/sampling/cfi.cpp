// SPDX-License-Identifier: BSD-3-Clause
// Finds and executes call frame information.
#include "preload/sampling/cfi.hpp"

#include <string.h>

#include "preload/sampling/cfi_text.hpp"

namespace plait::preload::sampling {

namespace {

/// What a CIE and an FDE say about a function.
struct Frame {
  uint64_t code_align;
  int64_t data_align;
  bool is_signal;
  uintptr_t begin, end;
  const uint8_t *initial, *initial_end;
  const uint8_t *program, *program_end;
};

bool read_cie(const Object& object, const uint8_t* at, Frame* frame, uint8_t* encoding,
              bool* has_augmentation) {
  const auto* limit = reinterpret_cast<const uint8_t*>(object.end);
  if (at < reinterpret_cast<const uint8_t*>(object.start) || at >= limit) return false;
  Text head(at, limit);
  const auto length = head.take<uint32_t>();
  if (length >= 0xfffffff0 || length > static_cast<size_t>(limit - head.at())) return false;
  Text text(head.at(), head.at() + length);
  if (text.take<uint32_t>() != 0) return false;  // not a CIE
  const auto version = text.take<uint8_t>();
  const char* letters = reinterpret_cast<const char*>(text.at());
  while (text.take<uint8_t>() != 0 && !text.failed()) {
  }
  if (version != 1 && version != 3 && version != 4) return false;
  if (version == 4) text.skip(2);  // sizes of addresses and of selectors
  frame->code_align = text.unsigned_leb();
  frame->data_align = text.signed_leb();
  const uint64_t of_return = version == 1 ? text.take<uint8_t>() : text.unsigned_leb();
  if (text.failed() || of_return != Registers::kReturn) return false;
  frame->is_signal = false;
  *encoding = kAbsolute;
  *has_augmentation = *letters == 'z';
  if (*letters == 'z') {
    const uint64_t bytes = text.unsigned_leb();
    const uint8_t* const behind = text.at() + bytes;
    if (text.failed() || bytes > static_cast<size_t>(text.end() - text.at())) return false;
    for (++letters; *letters; ++letters) {
      if (*letters == 'R') {
        *encoding = text.take<uint8_t>();
      } else if (*letters == 'P') {
        const auto of_routine = text.take<uint8_t>();
        text.pointer(of_routine);
      } else if (*letters == 'L') {
        text.skip(1);
      } else if (*letters == 'S') {
        frame->is_signal = true;
      } else {
        break;
      }
    }
    if (text.failed()) return false;
    frame->initial = behind;
  } else if (*letters) {
    return false;
  } else {
    frame->initial = text.at();
  }
  frame->initial_end = text.end();
  return true;
}

bool read_fde(const Object& object, const uint8_t* at, Frame* frame) {
  const auto* limit = reinterpret_cast<const uint8_t*>(object.end);
  if (at < reinterpret_cast<const uint8_t*>(object.start) || at >= limit) return false;
  Text head(at, limit);
  const auto length = head.take<uint32_t>();
  if (length == 0 || length >= 0xfffffff0 || length > static_cast<size_t>(limit - head.at()))
    return false;
  Text text(head.at(), head.at() + length);
  const uint8_t* const here = text.at();
  const auto back = text.take<uint32_t>();
  uint8_t encoding;
  bool has_augmentation;
  if (back == 0 || !read_cie(object, here - back, frame, &encoding, &has_augmentation))
    return false;
  frame->begin = text.pointer(encoding);
  frame->end = frame->begin + text.pointer(encoding & 0x0f);
  if (has_augmentation) text.skip(text.unsigned_leb());
  frame->program = text.at();
  frame->program_end = text.end();
  return !text.failed();
}

/// Binary search in .eh_frame_hdr.
bool find_frame(const Object& object, uintptr_t pc, Frame* frame) {
  if (!object.eh_frame_hdr) return false;
  const auto base = reinterpret_cast<uintptr_t>(object.eh_frame_hdr);
  if (base < object.start || base >= object.end) return false;
  Text text(object.eh_frame_hdr, reinterpret_cast<const uint8_t*>(object.end));
  const auto version = text.take<uint8_t>();
  const auto of_section = text.take<uint8_t>();
  const auto of_count = text.take<uint8_t>();
  const auto of_table = text.take<uint8_t>();
  if (version != 1 || of_table != (kDataRelative | kSigned4) || of_count == kOmitted) return false;
  text.pointer(of_section);
  const uint64_t count = text.pointer(of_count);
  if (text.failed() || count == 0 || count > static_cast<size_t>(text.end() - text.at()) / 8)
    return false;
  const uint8_t* const table = text.at();
  const auto entry = [&](uint64_t index, int column) {
    int32_t value;
    memcpy(&value, table + 8 * index + 4 * column, sizeof value);
    return base + static_cast<uintptr_t>(int64_t{value});
  };
  if (pc < entry(0, 0)) return false;
  uint64_t low = 0, high = count;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (entry(middle, 0) <= pc ? low : high) = middle;
  }
  return read_fde(object, reinterpret_cast<const uint8_t*>(entry(low, 1)), frame) &&
         pc >= frame->begin && pc < frame->end;
}

class Program {
public:
  Program(const Frame& frame, CfiScratch& scratch) : frame_(frame), scratch_(scratch) {}

  /// The rules at `pc` in scratch.row. False: something is not known.
  bool run(uintptr_t pc) {
    memset(&scratch_.row, 0, sizeof scratch_.row);
    location_ = frame_.begin;
    pc_ = pc;
    if (!execute(frame_.initial, frame_.initial_end)) return false;
    scratch_.initial = scratch_.row;
    has_initial_ = true;
    location_ = frame_.begin;
    return execute(frame_.program, frame_.program_end);
  }

private:
  void set_rule(Text& text, uint64_t number, Rule::Kind kind, int64_t value) {
    if (number < Registers::kCount) scratch_.row.rules[number] = {kind, value, nullptr, 0};
    (void)text;
  }

  void set_expression(Text& text, uint64_t number, Rule::Kind kind) {
    const uint64_t bytes = text.unsigned_leb();
    const uint8_t* at = text.at();
    text.skip(bytes);
    if (number < Registers::kCount)
      scratch_.row.rules[number] = {kind, 0, at, static_cast<uint32_t>(bytes)};
  }

  void set_cfa(uint64_t number, int64_t offset) {
    scratch_.row.cfa_is_expression = false;
    scratch_.row.cfa_register = static_cast<unsigned>(number);
    scratch_.row.cfa_offset = offset;
  }

  void restore(uint64_t number) {
    if (number < Registers::kCount)
      scratch_.row.rules[number] = has_initial_ ? scratch_.initial.rules[number] : Rule{};
  }

  /// True while the rules are those at pc_ or before.
  bool advance(uint64_t by) {
    location_ += by * frame_.code_align;
    return location_ <= pc_;
  }

  int64_t factored(uint64_t value) const { return static_cast<int64_t>(value) * frame_.data_align; }

  bool execute(const uint8_t* begin, const uint8_t* end) {
    Text text(begin, end);
    while (text.more()) {
      const auto code = text.take<uint8_t>();
      const uint8_t low = code & 0x3f;
      switch (code & 0xc0) {
        case 0x40:  // DW_CFA_advance_loc
          if (!advance(low)) return true;
          continue;
        case 0x80:  // DW_CFA_offset
          set_rule(text, low, Rule::offset, factored(text.unsigned_leb()));
          continue;
        case 0xc0:  // DW_CFA_restore
          restore(low);
          continue;
        default:
          break;
      }
      if (!execute_long(text, code)) return !text.failed() && passed_;
    }
    return !text.failed();
  }

  /// False: the rest does not apply (passed_), or the instruction is not known.
  bool execute_long(Text& text, uint8_t code) {
    const auto go = [&](uint64_t by) {
      passed_ = !advance(by);
      return !passed_;
    };
    Row& row = scratch_.row;
    switch (code) {
      case 0x00:  // DW_CFA_nop
        return true;
      case 0x01:  // DW_CFA_set_loc: not used on Linux
        return false;
      case 0x02:  // DW_CFA_advance_loc1
        return go(text.take<uint8_t>());
      case 0x03:  // DW_CFA_advance_loc2
        return go(text.take<uint16_t>());
      case 0x04:  // DW_CFA_advance_loc4
        return go(text.take<uint32_t>());
      case 0x05: {  // DW_CFA_offset_extended
        const uint64_t number = text.unsigned_leb();
        set_rule(text, number, Rule::offset, factored(text.unsigned_leb()));
        return true;
      }
      case 0x06:  // DW_CFA_restore_extended
        restore(text.unsigned_leb());
        return true;
      case 0x07:  // DW_CFA_undefined
        set_rule(text, text.unsigned_leb(), Rule::undefined, 0);
        return true;
      case 0x08:  // DW_CFA_same_value
        set_rule(text, text.unsigned_leb(), Rule::same, 0);
        return true;
      case 0x09: {  // DW_CFA_register
        const uint64_t number = text.unsigned_leb();
        set_rule(text, number, Rule::reg, static_cast<int64_t>(text.unsigned_leb()));
        return true;
      }
      case 0x0a:  // DW_CFA_remember_state
        if (depth_ == sizeof scratch_.kept / sizeof *scratch_.kept) return false;
        scratch_.kept[depth_++] = row;
        return true;
      case 0x0b:  // DW_CFA_restore_state
        if (depth_ == 0) return false;
        row = scratch_.kept[--depth_];
        return true;
      case 0x0c: {  // DW_CFA_def_cfa
        const uint64_t number = text.unsigned_leb();
        set_cfa(number, static_cast<int64_t>(text.unsigned_leb()));
        return true;
      }
      case 0x0d:  // DW_CFA_def_cfa_register
        set_cfa(text.unsigned_leb(), row.cfa_offset);
        return true;
      case 0x0e:  // DW_CFA_def_cfa_offset
        set_cfa(row.cfa_register, static_cast<int64_t>(text.unsigned_leb()));
        return true;
      case 0x0f: {  // DW_CFA_def_cfa_expression
        const uint64_t bytes = text.unsigned_leb();
        row.cfa_is_expression = true;
        row.cfa_text = text.at();
        row.cfa_bytes = static_cast<uint32_t>(bytes);
        text.skip(bytes);
        return true;
      }
      case 0x10:  // DW_CFA_expression
        set_expression(text, text.unsigned_leb(), Rule::expression);
        return true;
      case 0x11: {  // DW_CFA_offset_extended_sf
        const uint64_t number = text.unsigned_leb();
        set_rule(text, number, Rule::offset, text.signed_leb() * frame_.data_align);
        return true;
      }
      case 0x12: {  // DW_CFA_def_cfa_sf
        const uint64_t number = text.unsigned_leb();
        set_cfa(number, text.signed_leb() * frame_.data_align);
        return true;
      }
      case 0x13:  // DW_CFA_def_cfa_offset_sf
        set_cfa(row.cfa_register, text.signed_leb() * frame_.data_align);
        return true;
      case 0x14: {  // DW_CFA_val_offset
        const uint64_t number = text.unsigned_leb();
        set_rule(text, number, Rule::val_offset, factored(text.unsigned_leb()));
        return true;
      }
      case 0x15: {  // DW_CFA_val_offset_sf
        const uint64_t number = text.unsigned_leb();
        set_rule(text, number, Rule::val_offset, text.signed_leb() * frame_.data_align);
        return true;
      }
      case 0x16:  // DW_CFA_val_expression
        set_expression(text, text.unsigned_leb(), Rule::val_expression);
        return true;
      case 0x2e:  // DW_CFA_GNU_args_size
        text.unsigned_leb();
        return true;
      default:
        return false;
    }
  }

  const Frame& frame_;
  CfiScratch& scratch_;
  uintptr_t location_ = 0, pc_ = 0;
  unsigned depth_ = 0;
  bool has_initial_ = false, passed_ = false;
};

bool cfa_of(const Row& row, Memory& memory, const Registers& registers, uint64_t* cfa) {
  if (row.cfa_is_expression)
    return evaluate(row.cfa_text, row.cfa_bytes, memory, registers, nullptr, cfa);
  if (!registers.knows(row.cfa_register)) return false;
  *cfa = registers.value[row.cfa_register] + static_cast<uint64_t>(row.cfa_offset);
  return true;
}

constexpr uint8_t kSaved[6] = {3, 6, 12, 13, 14, 15};

/// Fills in the simple form of a row. False: it has none.
bool simplify(const Row& row, uintptr_t pc, QuickRow* quick) {
  if (row.cfa_is_expression || row.cfa_offset != static_cast<int32_t>(row.cfa_offset) ||
      (row.cfa_register != 6 && row.cfa_register != 7))
    return false;
  const Rule& back = row.rules[Registers::kReturn];
  if (back.kind != Rule::offset || back.number != -8) return false;
  if (row.rules[Registers::kStack].kind != Rule::same) return false;
  QuickRow made{
      pc, static_cast<int32_t>(row.cfa_offset), static_cast<uint8_t>(row.cfa_register), {}};
  for (unsigned i = 0; i < 6; ++i) {
    const Rule& rule = row.rules[kSaved[i]];
    if (rule.kind == Rule::same) continue;
    if (rule.kind != Rule::offset || rule.number != static_cast<int16_t>(rule.number)) return false;
    made.saved[i] = static_cast<int16_t>(rule.number);
  }
  *quick = made;
  return true;
}

/// The registers that a function may change without saving them.
constexpr uint32_t kCalleeSaved = 1u << 3 | 1u << 6 | 1u << 7 | 0xfu << 12 | 1u << 16;

Step apply_quick(const QuickRow& row, Memory& memory, Registers& registers) {
  if (!registers.knows(row.cfa_register)) return Step::unknown;
  const uint64_t cfa = registers.value[row.cfa_register] + static_cast<uint64_t>(row.cfa_offset);
  const uint64_t before = registers.value[Registers::kStack];
  uint64_t word;
  if (cfa <= before || !memory.read(cfa - 8, &word)) return Step::unknown;
  for (unsigned i = 0; i < 6; ++i) {
    if (!row.saved[i]) continue;
    uint64_t saved;
    if (memory.read(cfa + static_cast<uint64_t>(int64_t{row.saved[i]}), &saved))
      registers.set(kSaved[i], saved);
    else
      registers.forget(kSaved[i]);
  }
  registers.known &= kCalleeSaved;
  registers.set(Registers::kStack, cfa);
  registers.set(Registers::kReturn, word);
  return word ? Step::done : Step::end;
}

Step apply(const Row& row, bool is_signal, Memory& memory, Registers& registers) {
  uint64_t cfa;
  if (!cfa_of(row, memory, registers, &cfa)) return Step::unknown;
  if (row.rules[Registers::kReturn].kind == Rule::undefined) return Step::end;
  // A signal handler may run on another stack than what it interrupted.
  if (!is_signal && cfa <= registers.value[Registers::kStack]) return Step::unknown;
  const Registers before = registers;
  if (!is_signal) registers.known &= kCalleeSaved;
  registers.set(Registers::kStack, cfa);
  registers.forget(Registers::kReturn);
  for (unsigned number = 0; number < Registers::kCount; ++number) {
    const Rule& rule = row.rules[number];
    uint64_t value = 0;
    bool known = true;
    switch (rule.kind) {
      case Rule::same:
        continue;
      case Rule::undefined:
        known = false;
        break;
      case Rule::offset:
        known = memory.read(cfa + static_cast<uint64_t>(rule.number), &value);
        break;
      case Rule::val_offset:
        value = cfa + static_cast<uint64_t>(rule.number);
        break;
      case Rule::reg:
        known = rule.number >= 0 && before.knows(static_cast<unsigned>(rule.number));
        if (known) value = before.value[rule.number];
        break;
      case Rule::expression:
        known = evaluate(rule.text, rule.bytes, memory, before, &cfa, &value) &&
                memory.read(value, &value);
        break;
      case Rule::val_expression:
        known = evaluate(rule.text, rule.bytes, memory, before, &cfa, &value);
        break;
    }
    if (known)
      registers.set(number, value);
    else
      registers.forget(number);
  }
  if (!registers.knows(Registers::kReturn)) return Step::unknown;
  return registers.value[Registers::kReturn] ? Step::done : Step::end;
}

}  // namespace

Step unwind_by_cfi(Memory& memory, Registers& registers, bool* exact, CfiScratch& scratch,
                   QuickRow* quick) {
  const uintptr_t pc = registers.value[Registers::kReturn] - (*exact ? 0 : 1);
  QuickRow& slot = quick[(pc * 0x9e3779b97f4a7c15u) >> 54];
  static_assert(kQuickRows == 1 << (64 - 54));
  if (slot.pc == pc) {
    *exact = false;
    return apply_quick(slot, memory, registers);
  }
  Object object;
  Frame frame;
  if (!find_object(pc, &object) || !find_frame(object, pc, &frame)) return Step::unknown;
  if (!Program(frame, scratch).run(pc)) return Step::unknown;
  if (!frame.is_signal && simplify(scratch.row, pc, &slot)) {
    *exact = false;
    return apply_quick(slot, memory, registers);
  }
  *exact = frame.is_signal;
  return apply(scratch.row, frame.is_signal, memory, registers);
}

Step unwind_by_frame_pointer(Memory& memory, Registers& registers, bool* exact) {
  if (!registers.knows(Registers::kFramePointer)) return Step::unknown;
  const uint64_t frame = registers.value[Registers::kFramePointer];
  uint64_t outer, back;
  Object object;
  if (frame % 8 || frame < registers.value[Registers::kStack] || frame >= memory.high() ||
      !memory.read(frame, &outer) || !memory.read(frame + 8, &back) || !find_object(back, &object))
    return Step::unknown;
  registers.known = 0;
  registers.set(Registers::kFramePointer, outer);
  registers.set(Registers::kStack, frame + 16);
  registers.set(Registers::kReturn, back);
  *exact = false;
  return Step::done;
}

}  // namespace plait::preload::sampling
