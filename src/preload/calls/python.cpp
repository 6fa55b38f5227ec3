// SPDX-License-Identifier: BSD-3-Clause
// The lines of Python that a thread executes while it calls MPI.
#include "preload/calls/python.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <type_traits>

#include "preload/recorder.hpp"
#include "trace/python_format.h"

namespace plait::preload {
namespace {

// Offsets in CPython's structures on 64-bit systems, from the headers of each version:
// Include/cpython/pystate.h, code.h, unicodeobject.h, frameobject.h (up to 3.10), and
// Include/internal/pycore_frame.h.
struct Layout {
  uint16_t minor;                     // of version 3
  uint16_t thread_frame;              // PyThreadState: frame, current_frame; 3.11 and 3.12: cframe
  int16_t cframe_frame;               // _PyCFrame: current_frame; -1: there is no such structure
  uint16_t previous, code, position;  // of a frame
  uint16_t position_bytes;            // 8: address of an instruction, 4: its index
  uint16_t unit;                      // bytes per index
  uint16_t file, function;            // PyCodeObject: co_filename; co_qualname, before 3.11 co_name
  uint16_t instructions;              // PyCodeObject: co_code_adaptive
  uint16_t ascii, compact;            // sizes of PyASCIIObject, PyCompactUnicodeObject
  int16_t entry;  // of a frame: is_entry; -1: each frame is, 0: a frame of its own says so
};
constexpr Layout kLayouts[] = {
    {9, 24, -1, 24, 32, 104, 4, 1, 104, 112, 0, 48, 72, -1},
    {10, 24, -1, 24, 32, 96, 4, 2, 104, 112, 0, 48, 72, -1},
    {11, 56, 8, 48, 32, 56, 8, 1, 112, 128, 184, 48, 72, 68},
    {12, 56, 0, 8, 0, 56, 8, 1, 112, 128, 192, 40, 56, 0},
    {13, 72, -1, 8, 0, 56, 8, 1, 112, 128, 200, 40, 56, 0},
};

constexpr uint32_t kMostFrames = 4 * PLAIT_MAX_FRAMES;  // read; some are not of Python code
constexpr size_t kFunctionBytes = 256;
static_assert(kPythonTextBytes >= 32 + kFunctionBytes + PATH_MAX);

struct Interpreter {
  const Layout* layout;
  int (*is_initialized)();
  void* (*this_thread)();
  int (*line_of)(const void* code, int position);
  const void *code_type, *text_type;
  const void* image;  // where its file is mapped
  uintptr_t loop[2];  // extent of the function that executes Python code; 0: unknown
};

enum State { kNotLookedAt, kReadable, kUnreadable };

int lock;
int state = kNotLookedAt;
Interpreter python;

/// Copies memory that may not be mapped.
bool copy(const void* from, void* to, size_t bytes) {
  const iovec local{to, bytes}, remote{const_cast<void*>(from), bytes};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

template <class Value>
Value at(const void* object, uint16_t offset) {
  Value value;
  memcpy(&value, static_cast<const char*>(object) + offset, sizeof value);
  return value;
}

const char* find_frame(const Interpreter& of) {
  const void* thread = of.is_initialized() ? of.this_thread() : nullptr;
  if (!thread) return nullptr;
  const auto* frame = at<const char*>(thread, of.layout->thread_frame);
  if (of.layout->cframe_frame < 0 || !frame) return frame;
  return at<const char*>(frame, static_cast<uint16_t>(of.layout->cframe_frame));
}

struct ObjectHead {  // PyObject
  uint64_t references;
  const void* type;
};

/// Appends one character as UTF-8; false if there is no room.
bool add_character(uint32_t character, char*& end, const char* limit) {
  if (limit - end < 5) return false;
  if (character < 0x80) {
    *end++ = static_cast<char>(character < ' ' ? '?' : character);
  } else if (character < 0x800) {
    *end++ = static_cast<char>(0xc0 | character >> 6);
    *end++ = static_cast<char>(0x80 | (character & 0x3f));
  } else {
    if (character >= 0x10000) {
      *end++ = static_cast<char>(0xf0 | character >> 18);
      *end++ = static_cast<char>(0x80 | (character >> 12 & 0x3f));
    } else {
      *end++ = static_cast<char>(0xe0 | character >> 12);
    }
    *end++ = static_cast<char>(0x80 | (character >> 6 & 0x3f));
    *end++ = static_cast<char>(0x80 | (character & 0x3f));
  }
  return true;
}

/// Writes a str of Python as UTF-8, cut to the room; false if it is not one.
bool write_text(const void* text, char* into, size_t room) {
  struct {
    ObjectHead head;
    int64_t length, hash;
    uint32_t flags;
  } start;
  if (!copy(text, &start, sizeof start) || start.head.type != python.text_type) return false;
  const uint32_t kind = start.flags >> 2 & 7;
  const bool is_compact = start.flags >> 5 & 1, is_ascii = start.flags >> 6 & 1;
  if (!is_compact || (kind != 1 && kind != 2 && kind != 4) || start.length < 0) return false;
  const char* data =
      static_cast<const char*>(text) + (is_ascii ? python.layout->ascii : python.layout->compact);
  char* end = into;
  char part[256];
  int64_t done = 0;
  for (bool fits = true; fits && done < start.length;) {
    const int64_t most = static_cast<int64_t>(sizeof part / kind);
    const int64_t count = start.length - done < most ? start.length - done : most;
    if (!copy(data + done * kind, part, static_cast<size_t>(count) * kind)) return false;
    for (int64_t i = 0; fits && i < count; ++i) {
      const auto index = static_cast<uint16_t>(i * kind);
      const uint32_t character = kind == 1   ? at<uint8_t>(part, index)
                                 : kind == 2 ? at<uint16_t>(part, index)
                                             : at<uint32_t>(part, index);
      fits = add_character(character, end, into + room);
    }
    done += count;
  }
  *end = '\0';
  return true;
}

/// Reads a frame and where the one that called it is. False: it cannot be read.
bool read_frame(const char* frame, PythonLine* line, const char** previous) {
  const Layout& layout = *python.layout;
  char kept[112];
  size_t bytes = layout.position + size_t{layout.position_bytes};
  if (layout.entry > 0) bytes = static_cast<size_t>(layout.entry) + 1;  // it comes last
  if (!copy(frame, kept, bytes)) return false;
  *previous = at<const char*>(kept, layout.previous);
  line->code = at<const void*>(kept, layout.code);
  line->position = layout.position_bytes == 8
                       ? at<const char*>(kept, layout.position) -
                             (static_cast<const char*>(line->code) + layout.instructions)
                       : int64_t{at<int32_t>(kept, layout.position)} * layout.unit;
  // From 3.12 on, a frame of its own stands between the frames and C.
  line->from_c = layout.entry < 0 || (layout.entry > 0 && kept[layout.entry] != 0);
  return true;
}

/// Writes a number and a blank; at most 32 bytes.
char* write_number(int number, char* into) {
  char digits[16];
  int count = 0;
  do digits[count++] = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0) *into++ = digits[--count];
  *into++ = ' ';
  return into;
}

/// The string of a frame, 0 if it is not of Python code.
uint32_t string_of(const char* frame) {
  PythonLine line;
  const char* previous;
  char text[kPythonTextBytes];
  return read_frame(frame, &line, &previous) && python_text(line, text, sizeof text)
             ? add_string(text)
             : 0;
}

/// The extent of a function in the interpreter.
void find_extent(const char* name, uintptr_t (&extent)[2]) {
  Dl_info info;
  void* extra = nullptr;
  void* const symbol = dlsym(RTLD_DEFAULT, name);
  if (!symbol || !dladdr1(symbol, &info, &extra, RTLD_DL_SYMENT) || !extra) return;
  extent[0] = reinterpret_cast<uintptr_t>(symbol);
  extent[1] = extent[0] + static_cast<const ElfW(Sym)*>(extra)->st_size;
}

bool load_symbols() {
  const auto find = [](auto& into, const char* name) {
    void* const symbol = dlsym(RTLD_DEFAULT, name);
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(symbol);
    return symbol != nullptr;
  };
  const char* (*version)() = nullptr;
  Dl_info info;
  if (!find(python.is_initialized, "Py_IsInitialized") ||
      !find(python.this_thread, "PyGILState_GetThisThreadState") ||
      !find(python.line_of, "PyCode_Addr2Line") || !find(python.code_type, "PyCode_Type") ||
      !find(python.text_type, "PyUnicode_Type") || !find(version, "Py_GetVersion") ||
      !python.is_initialized() || !dladdr(reinterpret_cast<void*>(python.this_thread), &info))
    return false;
  python.image = info.dli_fbase;
  find_extent("_PyEval_EvalFrameDefault", python.loop);
  const char* text = version();
  python.layout = nullptr;
  for (const Layout& layout : kLayouts)
    if (sizeof(void*) == 8 && !strncmp(text, "3.", 2) && atoi(text + 2) == layout.minor)
      python.layout = &layout;
  return true;
}

/// Reads the thread's frames as if nothing were known about them. True if they are as expected.
bool is_as_expected(bool* has_frames) {
  const Layout& layout = *python.layout;
  const void* thread = python.this_thread();
  const char* frame = nullptr;
  *has_frames = false;
  if (!thread) return true;
  if (!copy(static_cast<const char*>(thread) + layout.thread_frame, &frame, sizeof frame))
    return false;
  if (layout.cframe_frame >= 0 && frame && !copy(frame + layout.cframe_frame, &frame, sizeof frame))
    return false;
  bool has_code = false;
  for (uint32_t i = 0; frame && i < kMostFrames; ++i) {
    *has_frames = true;
    has_code = has_code || string_of(frame) != 0;
    if (!copy(frame + layout.previous, &frame, sizeof frame)) return false;
  }
  return has_code || !*has_frames;
}

void look_for_interpreter() {
  SpinLock hold(&lock);
  if (state != kNotLookedAt || !load_symbols()) return;
  bool has_frames = false;
  const bool fits = python.layout && is_as_expected(&has_frames);
  if (fits && !has_frames) return;  // this thread shows nothing
  if (!fits)
    note(
        "the lines of this Python cannot be read (CPython 3.9 to 3.13 can); its call sites have "
        "no names");
  __atomic_store_n(&state, fits ? kReadable : kUnreadable, __ATOMIC_RELEASE);
}

}  // namespace

bool in_python() {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == kNotLookedAt) look_for_interpreter();
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == kReadable && find_frame(python);
}

uint64_t python_path(bool innermost_only) {
  const Layout& layout = *python.layout;
  uint64_t hash = 0xcbf29ce484222325u;
  const char* frame = find_frame(python);
  for (uint32_t i = 0; frame && i < (innermost_only ? 1 : PLAIT_MAX_FRAMES); ++i) {
    const uint64_t position = layout.position_bytes == 8
                                  ? at<uint64_t>(frame, layout.position)
                                  : at<uint64_t>(frame, layout.code) +
                                        (uint64_t{at<uint32_t>(frame, layout.position)} << 48);
    hash = (hash ^ position) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    frame = at<const char*>(frame, layout.previous);
  }
  return hash | 1;
}

uint32_t python_frames(uint64_t* pc, uint32_t room) {
  uint32_t depth = 0;
  const char* frame = find_frame(python);
  for (uint32_t i = 0; frame && depth < room && i < kMostFrames; ++i) {
    if (const uint32_t text = string_of(frame)) pc[depth++] = PLAIT_PYTHON_FRAME | text;
    frame = at<const char*>(frame, python.layout->previous);
  }
  return depth;
}

bool python_text(const PythonLine& line, char* into, size_t room) {
  const Layout& layout = *python.layout;
  struct {
    ObjectHead head;
    char rest[120];
  } object;
  if (room < kPythonTextBytes || !line.code || !copy(line.code, &object, sizeof object) ||
      object.head.type != python.code_type || line.position > INT_MAX || line.position < -16)
    return false;
  const int number = python.line_of(line.code, static_cast<int>(line.position));
  char* end = write_number(number > 0 ? number : 0, into);
  if (!write_text(at<const void*>(&object, layout.function), end, kFunctionBytes)) return false;
  // Code of the interpreter itself, from which it enters its loop.
  if (!strcmp(end, "<shim>") || !strcmp(end, "<interpreter trampoline>")) return false;
  end += strlen(end);
  *end++ = '\n';
  return write_text(at<const void*>(&object, layout.file), end, PATH_MAX);
}

uint32_t python_lines(PythonLine* into, uint32_t room) {
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != kReadable || !python.is_initialized()) return 0;
  const Layout& layout = *python.layout;
  const auto* thread = static_cast<const char*>(python.this_thread());
  const char* frame = nullptr;
  if (!thread || !copy(thread + layout.thread_frame, &frame, sizeof frame)) return 0;
  if (layout.cframe_frame >= 0 && frame && !copy(frame + layout.cframe_frame, &frame, sizeof frame))
    return 0;
  uint32_t depth = 0;
  while (frame && depth < room && read_frame(frame, &into[depth], &frame)) ++depth;
  return depth;
}

const void* python_image() {
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == kReadable ? python.image : nullptr;
}

bool executes_python(uintptr_t pc) {
  return pc >= python.loop[0] && pc < python.loop[1];
}

bool is_interpreter(uintptr_t pc) {
  Dl_info info;
  return dladdr(reinterpret_cast<void*>(pc - 1), &info) && info.dli_fbase == python.image;
}

}  // namespace plait::preload
