// SPDX-License-Identifier: BSD-3-Clause
// malloc, free and the like: how often they are called, for how much, and how much is in use.
//
// Each thread counts for itself, and adds its counts to the process' ones every 64 KiB or 1024
// calls. Sizes are those that the allocator provides, so that a free counts as its allocation did.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/access.hpp"
#include "preload/recorder.hpp"

using namespace plait::preload;

namespace {

constexpr int64_t kBytesApart = 64 << 10;
constexpr uint32_t kCallsApart = 1024;

struct Counts {
  int64_t live;
  uint64_t allocated, allocations, frees;
  uint32_t calls;
  bool registered;
};
__thread Counts mine __attribute__((tls_model("initial-exec")));

int64_t live, peak;
uint64_t allocated, allocations, frees, peak_ticks;
pthread_key_t at_thread_end;
bool has_key;
const Access* access_to_record;

struct Allocator {
  void* (*malloc)(size_t);
  void (*free)(void*);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  int (*posix_memalign)(void**, size_t, size_t);
  void* (*aligned_alloc)(size_t, size_t);
  void* (*memalign)(size_t, size_t);
  void* (*valloc)(size_t);
  void* (*pvalloc)(size_t);
  size_t (*usable)(void*);
};
Allocator next;
enum State : int { kUnknown, kLooking, kFound };
int state = kUnknown;

// The loader may allocate while it looks for the allocator.
alignas(16) char first_memory[1 << 16];
size_t first_used;

void* take_first(size_t bytes) {
  const size_t at = __atomic_fetch_add(&first_used, (bytes + 31) / 16 * 16, __ATOMIC_RELAXED);
  if (at + bytes + 16 > sizeof first_memory) return errno = ENOMEM, nullptr;
  memcpy(first_memory + at, &bytes, sizeof bytes);
  return first_memory + at + 16;
}

bool is_first(const void* memory) {
  return memory >= first_memory && memory < first_memory + sizeof first_memory;
}

template <class Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// False while this or another thread is looking.
bool is_ready() {
  if (__builtin_expect(__atomic_load_n(&state, __ATOMIC_ACQUIRE) == kFound, 1)) return true;
  int unknown = kUnknown;
  if (!__atomic_compare_exchange_n(&state, &unknown, static_cast<int>(kLooking), false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return unknown == kFound;
  look_up(next.malloc, "malloc");
  look_up(next.free, "free");
  look_up(next.calloc, "calloc");
  look_up(next.realloc, "realloc");
  look_up(next.posix_memalign, "posix_memalign");
  look_up(next.aligned_alloc, "aligned_alloc");
  look_up(next.memalign, "memalign");
  look_up(next.valloc, "valloc");
  look_up(next.pvalloc, "pvalloc");
  look_up(next.usable, "malloc_usable_size");
  __atomic_store_n(&state, static_cast<int>(kFound), __ATOMIC_RELEASE);
  return true;
}

void add_to_process(Counts& counts) {
  const int64_t now_live = __atomic_add_fetch(&live, counts.live, __ATOMIC_RELAXED);
  const uint64_t all = __atomic_add_fetch(&allocated, counts.allocated, __ATOMIC_RELAXED);
  const uint64_t made = __atomic_add_fetch(&allocations, counts.allocations, __ATOMIC_RELAXED);
  const uint64_t freed = __atomic_add_fetch(&frees, counts.frees, __ATOMIC_RELAXED);
  counts = {0, 0, 0, 0, 0, counts.registered};
  if (now_live > __atomic_load_n(&peak, __ATOMIC_RELAXED)) {
    __atomic_store_n(&peak, now_live, __ATOMIC_RELAXED);
    peak_ticks = now_ticks();
  }
  if (!access_to_record || !access_to_record->recording()) return;
  plait_memory_record* memory = access_to_record->memory();
  if (!memory) return;
  memory->heap_observed = 1;
  memory->allocations = made;
  memory->frees = freed;
  memory->allocated = all;
  memory->heap_live = now_live > 0 ? static_cast<uint64_t>(now_live) : 0;
  memory->heap_peak = static_cast<uint64_t>(peak);
  memory->heap_peak_ticks = peak_ticks;
}

void end_thread(void*) {
  add_to_process(mine);
  mine.registered = false;
}

void count(int64_t bytes) {
  Counts& counts = mine;
  counts.live += bytes;
  if (bytes >= 0) {
    counts.allocated += static_cast<uint64_t>(bytes);
    ++counts.allocations;
  } else {
    ++counts.frees;
  }
  ++counts.calls;
  if (__builtin_expect(!counts.registered && has_key, 0)) {
    counts.registered = true;
    const int error = errno;
    pthread_setspecific(at_thread_end, &mine);
    errno = error;
  }
  if (__builtin_expect(
          counts.calls >= kCallsApart || counts.live >= kBytesApart || counts.live <= -kBytesApart,
          0)) {
    const int error = errno;
    add_to_process(counts);
    errno = error;
  }
}

// Bytes of an allocation; at least 1, so that a free is distinguished.
int64_t size_of(void* memory) {
  const size_t usable = next.usable ? next.usable(memory) : 0;
  return usable ? static_cast<int64_t>(usable) : 1;
}

void* counted(void* memory) {
  if (memory) count(size_of(memory));
  return memory;
}

__attribute__((constructor)) void at_load() {
  is_ready();
  if (plait_preload_access) access_to_record = plait_preload_access();
  has_key = !pthread_key_create(&at_thread_end, end_thread);
}

__attribute__((destructor)) void at_exit() {
  add_to_process(mine);
}

}  // namespace

#define PLAIT_HEAP(result, name, parameters)          \
  extern "C" __attribute__((visibility("default")))   \
  result plait_heap_##name parameters __asm__(#name); \
  extern "C" result plait_heap_##name parameters

PLAIT_HEAP(void*, malloc, (size_t bytes)) {
  return is_ready() ? counted(next.malloc(bytes)) : take_first(bytes);
}

PLAIT_HEAP(void, free, (void* memory)) {
  if (!memory || is_first(memory) || !is_ready()) return;
  count(-size_of(memory));
  next.free(memory);
}

PLAIT_HEAP(void*, calloc, (size_t count, size_t bytes)) {
  if (is_ready()) return counted(next.calloc(count, bytes));
  return take_first(count * bytes);  // it was never used, so it is zero
}

PLAIT_HEAP(void*, realloc, (void* memory, size_t bytes)) {
  if (!is_ready() || is_first(memory)) {
    void* moved = plait_heap_malloc(bytes);
    if (!moved || !memory) return moved;
    size_t before = 0;
    memcpy(&before, static_cast<char*>(memory) - 16, sizeof before);
    return memcpy(moved, memory, before < bytes ? before : bytes);
  }
  const int64_t before = memory ? size_of(memory) : 0;
  void* moved = next.realloc(memory, bytes);
  if (memory && (moved || !bytes)) count(-before);
  return counted(moved);
}

PLAIT_HEAP(void*, reallocarray, (void* memory, size_t count, size_t bytes)) {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) return errno = ENOMEM, nullptr;
  return plait_heap_realloc(memory, all);
}

PLAIT_HEAP(int, posix_memalign, (void** memory, size_t alignment, size_t bytes)) {
  if (!is_ready() || !next.posix_memalign) return ENOMEM;
  const int error = next.posix_memalign(memory, alignment, bytes);
  if (!error) counted(*memory);
  return error;
}

PLAIT_HEAP(void*, aligned_alloc, (size_t alignment, size_t bytes)) {
  if (!is_ready() || !next.aligned_alloc) return errno = ENOMEM, nullptr;
  return counted(next.aligned_alloc(alignment, bytes));
}

PLAIT_HEAP(void*, memalign, (size_t alignment, size_t bytes)) {
  if (!is_ready() || !next.memalign) return errno = ENOMEM, nullptr;
  return counted(next.memalign(alignment, bytes));
}

PLAIT_HEAP(void*, valloc, (size_t bytes)) {
  if (!is_ready() || !next.valloc) return errno = ENOMEM, nullptr;
  return counted(next.valloc(bytes));
}

PLAIT_HEAP(void*, pvalloc, (size_t bytes)) {
  if (!is_ready() || !next.pvalloc) return errno = ENOMEM, nullptr;
  return counted(next.pvalloc(bytes));
}
