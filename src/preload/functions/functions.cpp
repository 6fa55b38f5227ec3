// SPDX-License-Identifier: BSD-3-Clause
// The table of functions, and each thread's stack of open calls.
#include "preload/functions/functions.hpp"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/coverage/loaded.hpp"
#include "preload/functions/filter.hpp"
#include "preload/functions/function_file.hpp"
#include "preload/functions/symbols.hpp"
#include "preload/key_index.hpp"
#include "preload/recorder.hpp"

namespace plait::preload::functions {

namespace {

constexpr uint32_t kDepth = 1024;
// After each so many calls on a thread, a function is switched off if its calls took less than a
// microsecond on average: then recording it takes a good part of that time.
constexpr uint64_t kWindow = 1 << 16;
constexpr double kShort_s = 1e-6;

struct Open {
  uint32_t number;
  uintptr_t frame, site;
  uint64_t begin;
  uint64_t below;  // ticks in recorded functions that it called
};

struct Local {
  Local* next_free;
  plait_function_thread* shared;
  uintptr_t stack_low, stack_high;
  uintptr_t busy;  // frame of the call of enter() or leave() that is going on; 0: none
  uint32_t depth;
  uint32_t beyond;  // open calls that did not fit
  Open open[kDepth];
  uint32_t active[PLAIT_MOST_FUNCTIONS];  // open calls of each function
  plait_function_count* chunks[PLAIT_FUNCTION_CHUNKS];
};

bool on;
const char* patterns;
plait_functions_header* header;
plait_function_entry** entries;  // by number
uint64_t short_ticks;            // of kWindow calls

KeyIndex numbers;  // addresses to 1 + number; 0: not recorded
KeyIndex chosen;   // addresses of functions with a name that was chosen
KeyIndex modules;  // 1 + load address to the offset of the path
int lock;

Local* free_threads;
pthread_key_t at_thread_end;
__attribute__((tls_model("initial-exec"))) __thread Local* mine;
__attribute__((tls_model("initial-exec"))) __thread bool ended, starting;

// The load address and the path of the file that contains `address`. False: none does.
bool file_of(uintptr_t address, uint64_t* base, char* path, size_t bytes) {
  return any_loaded([&](const char* name, const dl_phdr_info& info) {
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& segment = info.dlpi_phdr[i];
      const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || address < begin || address - begin >= segment.p_memsz)
        continue;
      *base = info.dlpi_addr;
      memset(path, 0, bytes);
      if (*name)
        strncpy(path, name, bytes - 1);
      else if (readlink("/proc/self/exe", path, bytes - 1) <= 0)
        path[0] = '\0';
      return true;
    }
    return false;
  });
}

// The offset of the file's path; reads the names of its functions. 0: no room.
uint32_t learn_module(uint64_t base, const char* path) {
  uint32_t at = modules.find(base + 1);
  if (at != KeyIndex::kAbsent) return at;
  uint64_t offset = 0;
  const size_t length = strlen(path) + 1;
  if (void* text = take(length, &offset)) memcpy(text, path, length);
  at = static_cast<uint32_t>(offset);
  modules.add(base + 1, at);
  each_function(path, [&](const char* symbol, uint64_t address) {
    char name[512];
    plain_name(symbol, name, sizeof name);
    if (is_chosen(patterns, name) && chosen.find(base + address) == KeyIndex::kAbsent)
      chosen.add(base + address, 1);
  });
  return at;
}

// 1 + the number of the function; 0: no room.
uint32_t add_entry(uint64_t address, uint32_t module) {
  const uint32_t number = header->functions;
  uint64_t offset = 0;
  plait_function_entry* entry = nullptr;
  if (module && number < PLAIT_MOST_FUNCTIONS)
    entry = static_cast<plait_function_entry*>(take(sizeof *entry, &offset));
  if (!entry) {
    ++header->lost;
    return 0;
  }
  *entry = {header->first_function, address, number, module, 0, 0};
  entries[number] = entry;
  __atomic_store_n(&header->first_function, offset, __ATOMIC_RELEASE);
  __atomic_store_n(&header->functions, number + 1, __ATOMIC_RELEASE);
  return number + 1;
}

uint32_t learn(uintptr_t function) {
  SpinLock hold(&lock);
  uint32_t number = numbers.find(function);
  if (number != KeyIndex::kAbsent) return number;
  number = 0;
  uint64_t base = 0;
  char path[PATH_MAX] = "";
  if (file_of(function, &base, path, sizeof path)) {
    const uint32_t module = learn_module(base, path);
    const bool wanted = !strcmp(patterns, "*") || chosen.find(function) != KeyIndex::kAbsent;
    if (wanted) number = add_entry(function - base, module);
  }
  numbers.add(function, number);
  return number;
}

plait_function_count* count_of(Local& local, uint32_t number) {
  plait_function_count*& chunk = local.chunks[number / PLAIT_FUNCTIONS_IN_CHUNK];
  if (!chunk) {
    uint64_t offset = 0;
    chunk = static_cast<plait_function_count*>(
        take(sizeof(plait_function_count) * PLAIT_FUNCTIONS_IN_CHUNK, &offset));
    if (!chunk) return nullptr;
    local.shared->chunks[number / PLAIT_FUNCTIONS_IN_CHUNK] = offset;
  }
  return &chunk[number % PLAIT_FUNCTIONS_IN_CHUNK];
}

void end_innermost(Local& local, uint64_t now) {
  const Open& open = local.open[--local.depth];
  const uint64_t ticks = now > open.begin ? now - open.begin : 0;
  plait_function_count* count = count_of(local, open.number);
  count->exclusive_ticks += ticks > open.below ? ticks - open.below : 0;
  if (--local.active[open.number] == 0) count->inclusive_ticks += ticks;
  if (local.depth > 0) local.open[local.depth - 1].below += ticks;
}

void end_all(Local& local) {
  const uint64_t now = now_ticks();
  while (local.depth > 0) end_innermost(local, now);
  local.beyond = 0;
}

void end_thread(void* of_thread) {
  auto* local = static_cast<Local*>(of_thread);
  mine = nullptr;
  ended = true;
  if (!on) return;
  end_all(*local);
  SpinLock hold(&lock);
  local->next_free = free_threads;
  free_threads = local;
}

// The ends of this thread's stack; none if they are unknown.
void find_stack(Local& local) {
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  if (!pthread_attr_getstack(&attributes, &low, &bytes)) {
    local.stack_low = reinterpret_cast<uintptr_t>(low);
    local.stack_high = local.stack_low + bytes;
  }
  pthread_attr_destroy(&attributes);
}

Local* new_thread() {
  {
    SpinLock hold(&lock);
    if (Local* local = free_threads) {
      free_threads = local->next_free;
      return local;
    }
  }
  auto* local = static_cast<Local*>(map_pages(sizeof(Local)));
  uint64_t offset = 0;
  // Entries are linked in the order of their places: readers rely on it.
  SpinLock hold(&lock);
  auto* shared =
      local ? static_cast<plait_function_thread*>(take(sizeof *local->shared, &offset)) : nullptr;
  if (!shared) {
    ++header->lost;
    return nullptr;
  }
  static uint32_t threads;
  shared->number = threads++;
  shared->next = header->first_thread;
  local->shared = shared;
  __atomic_store_n(&header->first_thread, offset, __ATOMIC_RELEASE);
  return local;
}

// This thread's data; null: there is no room, or the thread has ended.
Local* local_of_thread() {
  if (mine || ended || starting) return mine;
  starting = true;
  Local* local = new_thread();
  if (local) {
    find_stack(*local);
    local->busy = 0;
    local->shared->tid = static_cast<int32_t>(syscall(SYS_gettid));
    pthread_setspecific(at_thread_end, local);
    mine = local;
  } else {
    ended = true;
  }
  starting = false;
  return local;
}

bool is_on_stack(const Local& local, uintptr_t frame) {
  return frame >= local.stack_low && frame < local.stack_high;
}

// A signal handler may call a function while enter() or leave() is at work.
class Busy {
public:
  Busy(Local& local, uintptr_t frame) : local_(local) {
    nested_ = local.busy != 0 && (frame < local.busy || !is_on_stack(local, frame));
    if (!nested_) local.busy = frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  ~Busy() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!nested_) local_.busy = 0;
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  [[nodiscard]] bool nested() const { return nested_; }

private:
  Local& local_;
  bool nested_;
};

// Ends calls that were left by a jump: their frames are deeper than one that exists now. Frames on
// other stacks (of signal handlers, of coroutines) say nothing.
void end_left(Local& local, uintptr_t frame, uint64_t now) {
  if (!is_on_stack(local, frame)) return;
  while (local.depth > 0) {
    const Open& top = local.open[local.depth - 1];
    if (top.frame >= frame || !is_on_stack(local, top.frame)) return;
    local.beyond = 0;
    end_innermost(local, now);
  }
}

// A call from the same stack pointer: the function was inlined into the one that is open, which
// returns to the same place, or the open one was left.
bool is_left(const Open& top, uint32_t number, uintptr_t site, uintptr_t frame) {
  return top.frame == frame && (top.site != site || top.number == number);
}

void switch_off_if_short(const plait_function_count& count, uint32_t number) {
  if (count.calls % kWindow == 0 && count.inclusive_ticks < count.calls / kWindow * short_ticks)
    __atomic_or_fetch(&entries[number]->flags, PLAIT_FUNCTION_OFF, __ATOMIC_RELAXED);
}

}  // namespace

void open() {
  patterns = getenv("PLAIT_FUNCTIONS");
  if (header || !record || !patterns || !*patterns) return;
  entries = static_cast<plait_function_entry**>(
      map_pages(sizeof(plait_function_entry*) * PLAIT_MOST_FUNCTIONS));
  if (entries) header = create_file();
  if (!header) return;
  header->ticks_per_s = record->ticks_per_s;
  short_ticks = static_cast<uint64_t>(record->ticks_per_s * kShort_s * kWindow);
  pthread_key_create(&at_thread_end, end_thread);
  __atomic_store_n(&on, true, __ATOMIC_RELEASE);
}

void close() {
  if (!on) return;
  __atomic_store_n(&on, false, __ATOMIC_RELEASE);
  if (mine) end_all(*mine);
  // Calibrated once more, over the whole run.
  plait_clock_sample now;
  sample_clock(&now);
  const int64_t elapsed_ns = record ? now.monotonic_ns - record->at_load.monotonic_ns : 0;
  if (elapsed_ns > 10'000'000)
    header->ticks_per_s = static_cast<double>(now.ticks - record->at_load.ticks) * 1e9 /
                          static_cast<double>(elapsed_ns);
  trim_file();
}

void forget() {
  on = false;
  header = nullptr;
  mine = nullptr;
  ended = true;
  lock = 0;
  forget_file();
}

void enter(uintptr_t function, uintptr_t site, uintptr_t frame) {
  if (__builtin_expect(!on, 0)) return;
  uint32_t number = numbers.find(function);
  if (number == 0 || __builtin_expect(paused, 0)) return;
  Local* local = local_of_thread();
  if (!local) return;
  const Busy busy(*local, frame);
  if (busy.nested()) return;
  if (number == KeyIndex::kAbsent) number = learn(function);
  if (number == 0) return;
  --number;
  if (__atomic_load_n(&entries[number]->flags, __ATOMIC_RELAXED) & PLAIT_FUNCTION_OFF) return;
  end_left(*local, frame, now_ticks());
  while (local->depth > 0 && is_left(local->open[local->depth - 1], number, site, frame)) {
    local->beyond = 0;
    end_innermost(*local, now_ticks());
  }
  plait_function_count* count = count_of(*local, number);
  if (!count) return;
  ++count->calls;
  if (local->depth == kDepth) {
    ++local->beyond;
    return;
  }
  ++local->active[number];
  Open& open = local->open[local->depth];
  open = {number, frame, site, 0, 0};
  ++local->depth;
  open.begin = now_ticks();
}

void leave(uintptr_t function, uintptr_t site, uintptr_t frame) {
  if (__builtin_expect(!on, 0)) return;
  const uint64_t now = now_ticks();
  uint32_t number = numbers.find(function);
  if (number == 0 || number == KeyIndex::kAbsent || !mine) return;
  Local& local = *mine;
  const Busy busy(local, frame);
  if (busy.nested() || local.depth == 0) return;
  --number;
  if (local.beyond > 0 && frame <= local.open[kDepth - 1].frame) {
    --local.beyond;
    return;
  }
  local.beyond = 0;
  // Compilers may jump to this function when the frame is gone, so the stack pointer does not say
  // which call ends.
  uint32_t at = local.depth;
  const auto is_open = [&](const Open& open) { return open.number == number && open.site == site; };
  // A function may have been switched off while calls of it were open.
  const bool is_off = entries[number]->flags & PLAIT_FUNCTION_OFF;
  if (is_off && !is_open(local.open[at - 1])) return;
  while (at > 0 && !is_open(local.open[at - 1])) --at;
  if (at == 0) return end_left(local, frame, now);
  while (local.depth >= at) end_innermost(local, now);
  switch_off_if_short(*count_of(local, number), number);
}

}  // namespace plait::preload::functions
