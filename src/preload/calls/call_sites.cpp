// SPDX-License-Identifier: BSD-3-Clause
// Unwinds the stack at call sites not seen before, and lists the modules in which they are.
#include "preload/calls/call_sites.hpp"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "preload/calls/function_info.hpp"
#include "preload/calls/python.hpp"
#include "preload/key_index.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload {
namespace {

constexpr uint32_t kMaxSites = 1 << 24;  // as many as a call's key has
constexpr uint64_t kMostMisses = 1 << 15;
constexpr uint32_t kMostNative = PLAIT_MAX_FRAMES / 2;  // frames kept beside lines of Python

int lock, module_lock;
KeyIndex site_ids;  // of the frames' hash

struct Walk {
  uintptr_t caller;
  bool found = false;
  uint32_t depth = 0;
  uint64_t pc[PLAIT_MAX_FRAMES];
  uintptr_t stack[PLAIT_MAX_FRAMES];  // the stack pointer once the frame that it called is gone
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  auto* walk = static_cast<Walk*>(data);
  const uintptr_t pc = _Unwind_GetIP(context);
  if (!walk->found && pc != walk->caller) return _URC_NO_REASON;
  walk->found = true;
  if (walk->depth == PLAIT_MAX_FRAMES || pc == 0) return _URC_END_OF_STACK;
  walk->stack[walk->depth] = _Unwind_GetCFA(context);
  walk->pc[walk->depth++] = pc;
  return _URC_NO_REASON;
}

enum class Place { program, library, layer };

bool starts(const char* text, const char* with) {
  return !strncmp(text, with, strlen(with));
}

bool is_fortran_name(const char* name) {
  return name && (starts(name, "mpi_") || starts(name, "pmpi_")) && name[strlen(name) - 1] == '_';
}

// The owner of the code at the address: the program, the MPI library, or the library's layer for
// Fortran or C++, above which the program's call is found.
Place place_of(uintptr_t pc, Dl_info* info) {
  if (!dladdr(reinterpret_cast<void*>(pc - 1), info) || !info->dli_fname) return Place::program;
  const char* slash = strrchr(info->dli_fname, '/');
  const char* file = slash ? slash + 1 : info->dli_fname;
  static const char* const layers[] = {"libmpi_mpifh", "libmpi_usempi", "libmpifort",
                                       "libmpichfort", "libmpi_cxx",    "libmpicxx",
                                       "libmpichcxx",  "libmpi_f",      "libplait-openmpi.so"};
  static const char* const libraries[] = {"libmpi.so", "libmpich.so", "libmpi_",
                                          "mca_",      "libopen-",    "libmpi-"};
  for (const char* layer : layers)
    if (starts(file, layer)) return Place::layer;
  for (const char* library : libraries)
    if (starts(file, library))
      return is_fortran_name(info->dli_sname) ? Place::layer : Place::library;
  return Place::program;
}

struct Search {
  uintptr_t caller, stack;  // of the frame that is looked for: where it is, and its stack pointer
  bool found = false;
};

_Unwind_Reason_Code look_for(_Unwind_Context* context, void* data) {
  auto* search = static_cast<Search*>(data);
  search->found = _Unwind_GetIP(context) == search->caller;
#if defined(__x86_64__)
  search->found = search->found && _Unwind_GetCFA(context) == search->stack;
#endif
  return search->found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool contains(const char* text, const char* part) {
  for (; *text; ++text) {
    size_t i = 0;
    while (part[i] && tolower(text[i]) == part[i]) ++i;
    if (!part[i]) return true;
  }
  return false;
}

// The loader, or the C library, which also calls main and destructors.
bool is_loader(uintptr_t pc) {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void*>(pc - 1), &info) || !info.dli_fname) return false;
  const char* slash = strrchr(info.dli_fname, '/');
  const char* file = slash ? slash + 1 : info.dli_fname;
  return starts(file, "ld-") || starts(file, "ld64") || starts(file, "libc.so") ||
         starts(file, "libc-");
}

// A Fortran layer itself asks for sizes, or makes a datatype for an array section. So a function
// that is called from the routine of another MPI function was not called by the program.
bool is_layers_own_call(uint32_t function, const Dl_info& info) {
  static const char* const types[] = {"Type_size",   "Type_free",       "Type_commit", "Type_get_",
                                      "Type_vector", "Type_contiguous", "Type_create_"};
  static const char* const comms[] = {"Comm_size", "Comm_rank", "Comm_remote_size",
                                      "Comm_test_inter"};
  const char* name = kFunctions[function].name + 4;
  for (const char* known : types)
    if (starts(name, known)) return !info.dli_sname || !contains(info.dli_sname, "type_");
  for (const char* known : comms)
    if (starts(name, known)) return !info.dli_sname || !contains(info.dli_sname, "comm_");
  return false;
}

bool is_known_module(uint64_t pc) {
  for (uint32_t i = 0; i < record->sections[PLAIT_SECTION_MODULES].count; ++i) {
    const auto* module = entry_at<plait_module_record>(PLAIT_SECTION_MODULES, i);
    if (pc >= module->start && pc < module->end) return true;
  }
  return false;
}

// The path of the file mapped at `start`, from the kernel: the loader only knows the name that was
// asked for, which may be relative to a directory that the program has left. Null: unknown.
const char* mapped_path(uint64_t start, char (&line)[PATH_MAX + 128]) {
  const int maps = uncancelled::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  const char* path = nullptr;
  size_t length = 0;
  for (ssize_t got = 1; maps >= 0 && got > 0 && !path;) {
    got = uncancelled::read(maps, line + length, sizeof line - 1 - length);
    if (got > 0) length += static_cast<size_t>(got);
    line[length] = '\0';
    char* begin = line;
    for (char* end; !path && (end = strchr(begin, '\n')); begin = end + 1) {
      char* rest = nullptr;
      const uint64_t from = strtoull(begin, &rest, 16);
      const uint64_t to = *rest == '-' ? strtoull(rest + 1, nullptr, 16) : 0;
      char* slash = strchr(begin, '/');
      if (start < from || start >= to || !slash || slash > end) continue;
      *end = '\0';
      path = slash;
      break;
    }
    if (path) break;
    length = static_cast<size_t>(line + length - begin);
    memmove(line, begin, length);
  }
  if (maps >= 0) uncancelled::close(maps);
  return path;
}

int add_module(dl_phdr_info* object, size_t, void* data) {
  const char* name = object->dlpi_name && *object->dlpi_name ? object->dlpi_name : nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const uint64_t start = object->dlpi_addr + segment.p_vaddr;
    if (is_known_module(start)) continue;
    auto* entry = static_cast<plait_module_record*>(append(PLAIT_SECTION_MODULES));
    if (!entry) return 1;
    entry->start = start;
    entry->end = start + segment.p_memsz;
    entry->file_offset = segment.p_offset;
    char line[PATH_MAX + 128];
    const char* absolute =
        name && *name != '/' && strchr(name, '/') ? mapped_path(start, line) : nullptr;
    if (absolute) name = absolute;
    // The first object without a name is the program itself; a later one is the vdso.
    auto* program_seen = static_cast<bool*>(data);
    entry->path = name ? add_string(name) : *program_seen ? 0 : record->program;
    *program_seen = true;
    publish(PLAIT_SECTION_MODULES);
  }
  return 0;
}

// Constructors and destructors of the MPI library call it: those of Open MPI's C++ bindings call
// MPI_Initialized, through an inline function that may be in the program.
bool is_librarys_start(const Walk& walk) {
  Dl_info info;
  for (uint32_t i = 1; i < walk.depth; ++i)
    if (is_loader(walk.pc[i])) return place_of(walk.pc[i - 1], &info) != Place::program;
  return false;
}

Walk frames_from(uintptr_t caller) {
  Walk walk{.caller = caller, .pc = {}, .stack = {}};
  _Unwind_Backtrace(visit, &walk);
  if (!walk.found) {
    walk.depth = 1;
    walk.pc[0] = caller;
  }
  return walk;
}

/// Counts a site that was not found. True if from now on sites are distinguished by less.
bool omits_more(Thread* thread) {
  if (++thread->site_misses != kMostMisses || thread->omitted) return false;
  thread->omitted = 1;
  note(
      "the program keeps calling MPI at new stack depths; from now on, call sites are "
      "distinguished only by their return address");
  return true;
}

constexpr uint32_t kBucket = 8;  // slots, in two cache lines

// The slot that find_site looks at first, with the key and path in it or free for them. Places
// whose keys map to the same slot are kept in the slots next to it and swapped: unwinding at each
// call would cost a hundred times more. `frame`: 0 for a key without one.
SiteSlot* own_slot(Thread* thread, uint64_t key, uintptr_t frame) {
  const auto is_it = [&](const SiteSlot& of) {
    if (of.key != key) return false;
    return frame ? is_same_path(of, frame) : of.above[0] == 0;
  };
  const auto first = static_cast<uint32_t>(key >> (64 - Thread::kSiteBits));
  SiteSlot* const slot = &thread->sites[first];
  SiteSlot* const bucket = &thread->sites[first / kBucket * kBucket];
  if (is_it(*slot)) return slot;
  SiteSlot* other = nullptr;
  for (uint32_t i = 0; i < kBucket; ++i) {
    if (is_it(bucket[i]) || (!other && bucket[i].key == 0)) other = &bucket[i];
    if (is_it(bucket[i])) break;
  }
  if (!other) other = &bucket[thread->site_misses % kBucket];  // it is forgotten
  const SiteSlot moved = *slot;
  *slot = is_it(*other) ? *other : SiteSlot{};
  if (other != slot) *other = moved;
  return slot;
}

// A slot with the return addresses that are compared, beginning behind `first`.
SiteSlot slot_of_path([[maybe_unused]] const Thread* thread, uint64_t key,
                      [[maybe_unused]] const Walk& walk, [[maybe_unused]] uint32_t first,
                      [[maybe_unused]] uintptr_t frame) {
  SiteSlot slot = {key, 0, 0, {}, {}};
#if defined(__x86_64__)
  // Here a return address is just below the stack pointer that its frame's caller had.
  for (uint32_t i = 0; !thread->omitted && i < kCheckedFrames; ++i) {
    const uint32_t at = first + 1 + i;
    if (at >= walk.depth || walk.stack[at] <= frame) break;
    const uint64_t above = (walk.stack[at] - frame) / sizeof(uintptr_t) - 1;
    if (above > UINT32_MAX || reinterpret_cast<const uintptr_t*>(frame)[above] != walk.pc[at])
      break;
    slot.above[i] = static_cast<uint32_t>(above);
    slot.callers[i] = walk.pc[at];
  }
#endif
  return slot;
}

uint32_t keep_site(const uint64_t* pc, uint32_t depth) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < depth; ++i) hash = (hash ^ pc[i]) * 0x9e3779b97f4a7c15u;
  SpinLock hold(&lock);
  const uint32_t known = site_ids.find(hash);
  if (known != KeyIndex::kAbsent) return known;
  const auto& header = record->sections[PLAIT_SECTION_SITES];
  if (header.count == 0 && append(PLAIT_SECTION_SITES)) publish(PLAIT_SECTION_SITES);  // unknown
  if (header.count >= kMaxSites) return lose_entry(PLAIT_SECTION_SITES), 0;
  auto* site = static_cast<plait_site_record*>(append(PLAIT_SECTION_SITES));
  if (!site) return 0;
  const uint32_t id = header.count;
  site->key = hash;
  site->depth = depth;
  memcpy(site->pc, pc, depth * sizeof *pc);
  publish(PLAIT_SECTION_SITES);
  site_ids.add(hash, id);
  return id;
}

}  // namespace

void learn_modules() {
  if (!record) return;
  SpinLock hold(&module_lock);
  bool program_seen = record->sections[PLAIT_SECTION_MODULES].count > 0;
  dl_iterate_phdr(add_module, &program_seen);
}

void prepare_call_sites() {
  Walk walk{.caller = 0, .pc = {}, .stack = {}};
  _Unwind_Backtrace(visit, &walk);
  learn_modules();
}

bool is_inside(Thread* thread, uintptr_t caller, uintptr_t frame) {
  if (frame > thread->outer_frame) return false;
  const uint64_t key = site_key(caller, 0);
  if (thread->sites[key >> (64 - Thread::kSiteBits)].key == key) return true;
  SiteSlot& slot = *own_slot(thread, key, 0);
  if (slot.key == key) return true;
  Dl_info info;
  if (place_of(caller, &info) != Place::program) {
    slot = {key, kInternalSite, 0, {}, {}};
    return true;
  }
  // A wrapper keeps its caller's frame pointer and return address above its own frame address.
  Search search{thread->outer_caller, thread->outer_frame + 2 * sizeof(uintptr_t)};
  _Unwind_Backtrace(look_for, &search);
  return search.found;
}

uint32_t find_python_site(Thread* thread, uintptr_t caller, uintptr_t frame) {
  const uint64_t path = python_path(thread->omitted);
  const uint64_t key = site_key(caller ^ path, thread->omitted ? 0 : frame);
  SiteSlot* slot = &thread->sites[key >> (64 - Thread::kSiteBits)];
  if (__builtin_expect(slot->key == key && is_same_path(*slot, frame), 1)) return slot->site;
  slot = own_slot(thread, key, frame);
  if (slot->key == key) return slot->site;
  if (omits_more(thread)) return find_python_site(thread, caller, frame);
  Walk walk = frames_from(caller);
  uint32_t depth = 0;
  while (depth < walk.depth && depth < kMostNative && !is_interpreter(walk.pc[depth])) ++depth;
  if (depth > 0 && !is_known_module(walk.pc[0])) learn_modules();
  depth += python_frames(walk.pc + depth, PLAIT_MAX_FRAMES - depth);
  *slot = slot_of_path(thread, key, walk, 0, frame);
  slot->site = keep_site(walk.pc, depth);
  return slot->site;
}

uint32_t learn_site(Thread* thread, uint32_t function, uintptr_t caller, uintptr_t frame,
                    uint64_t key) {
  SiteSlot& slot = *own_slot(thread, key, frame);
  if (slot.key == key) return find_site(thread, function, caller, frame);
  if (omits_more(thread)) return find_site(thread, function, caller, frame);
  Dl_info info;
  const Place place = place_of(caller, &info);
  if (place == Place::library || (place == Place::layer && is_layers_own_call(function, info))) {
    slot = {key, kInternalSite, 0, {}, {}};
    return kInternalSite;
  }
  if (place == Place::program && in_python()) {
    slot = {key, 0, kPythonLayer, {}, {}};
    return find_python_site(thread, caller, frame);
  }
  Walk walk = frames_from(caller);
  if (is_librarys_start(walk)) {
    slot = {key, kInternalSite, 0, {}, {}};
    return kInternalSite;
  }
#if defined(__x86_64__)
  if (place == Place::layer && walk.depth > 1) {
    slot = {key, 0, static_cast<uint32_t>(walk.stack[1] - sizeof caller - frame), {}, {}};
    return find_site(thread, function, caller, frame);
  }
#endif
  uint32_t first = 0;
  while (first + 1 < walk.depth && place_of(walk.pc[first], &info) == Place::layer) ++first;
  if (!is_known_module(walk.pc[first])) learn_modules();
  slot = slot_of_path(thread, key, walk, first, frame);
  slot.site = keep_site(walk.pc + first, walk.depth - first);
  return slot.site;
}

}  // namespace plait::preload
