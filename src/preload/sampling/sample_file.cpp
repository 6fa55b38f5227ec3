// SPDX-License-Identifier: BSD-3-Clause
// Creates, grows and shortens the file of samples.
#include "preload/sampling/sample_file.hpp"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/record_file.hpp"
#include "preload/recorder.hpp"
#include "preload/sampling/sampled_thread.hpp"
#include "preload/uncancelled.hpp"

namespace plait::preload::sampling {

plait_samples_header* file_header;

namespace {

constexpr uint64_t kMostBytes = 1ULL << 30;  // of address space
constexpr uint64_t kLeastBytes = 4 << 20;    // that the user's limits must leave
constexpr uint64_t kStep = 256 << 10;        // the file grows by at least this
constexpr uint64_t kTimesPart = 4;           // of the address space, at most for times

char path[PATH_MAX];
char* memory;
uint64_t mapped, length, used, used_by_times;
int grow_lock;
bool full, closed;

void refuse(int error) {
  char text[PATH_MAX + 128];
  snprintf(text, sizeof text, "cannot write samples to %s: %s; the profile is still recorded", path,
           strerror(error));
  note(text);
}

uint64_t permitted_memory() {
  rlimit limit;
  if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur / 8 < kMostBytes)
    return limit.rlim_cur / 8 / kStep * kStep;
  return kMostBytes;
}

/// Makes the file at least `end` bytes long; under the lock.
void grow_now(void* data) {
  const uint64_t end = *static_cast<const uint64_t*>(data);
  const uint64_t from = length;
  const uint64_t to = (end + kStep + from / 4) / kStep * kStep;
  if (from >= end || to > mapped || full || closed) return;
  const uncancelled::Section section;
  const int file = open_own_file(path);
  if (file >= 0 && reserve(file, from, to - from) == 0) {
    file_header->file_bytes = to;
    __atomic_store_n(&length, to, __ATOMIC_RELEASE);
  } else {
    full = true;
  }
  if (file >= 0) uncancelled::close(file);
}

/// Calls function(argument) on a stack that is large enough.
void call_on(char* stack, void (*function)(void*), void* argument) {
#if defined(__x86_64__)
  __asm__ volatile(
      "movq %%rsp, %%rbx\n\tmovq %[stack], %%rsp\n\tcallq *%[function]\n\tmovq %%rbx, %%rsp"
      : "+D"(argument)
      : [stack] "r"(stack), [function] "r"(function)
      : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15");
#else
  (void)stack;
  function(argument);
#endif
}

/// Signals are blocked meanwhile: a handler of the program that jumps must not take the lock along.
void grow(uint64_t end) {
  uint64_t before = 0;
  const uint64_t all = ~uint64_t{0};
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
  if (!__atomic_exchange_n(&grow_lock, 1, __ATOMIC_ACQUIRE)) {
    if (sampled) {
      call_on(sampled->stacks + kGrowStack, grow_now, &end);
    } else {
      grow_now(&end);
    }
    __atomic_store_n(&grow_lock, 0, __ATOMIC_RELEASE);
  }
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
}

}  // namespace

bool create_sample_file() {
  if (!record_path(".smp", path, sizeof path)) return false;
  mapped = permitted_memory();
  if (mapped < kLeastBytes || !permits_file_of(kLeastBytes)) return refuse(EFBIG), false;
  const int file = create_own_file(path);
  if (file < 0) return refuse(errno), false;
  int error = reserve(file, 0, kStep);
  void* map = MAP_FAILED;
  if (!error) {
    map = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (map == MAP_FAILED) error = errno;
  }
  uncancelled::close(file);
  if (error || map == MAP_FAILED) {
    refuse(error);
    unlink(path);
    return false;
  }
  memory = static_cast<char*>(map);
  length = kStep;
  used = sizeof(plait_samples_header);
  auto* header = static_cast<plait_samples_header*>(map);
  header->version = PLAIT_SAMPLES_VERSION;
  header->header_bytes = sizeof *header;
  header->file_bytes = length;
  header->pid = getpid();
  file_header = header;
  return true;
}

char* take_sample_room(uint64_t bytes, uint64_t* offset) {
  bytes = (bytes + 63) / 64 * 64;
  uint64_t at = __atomic_load_n(&used, __ATOMIC_RELAXED);
  do {
    if (__atomic_load_n(&closed, __ATOMIC_RELAXED)) return nullptr;
    if (at + bytes > __atomic_load_n(&length, __ATOMIC_ACQUIRE)) grow(at + bytes);
    if (at + bytes > __atomic_load_n(&length, __ATOMIC_ACQUIRE)) return nullptr;
  } while (!__atomic_compare_exchange_n(&used, &at, at + bytes, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
  *offset = at;
  return memory + at;
}

char* take_time_room(uint64_t bytes, uint64_t* offset) {
  const uint64_t before = __atomic_fetch_add(&used_by_times, bytes, __ATOMIC_RELAXED);
  const bool permitted = before + bytes <= mapped / kTimesPart;
  char* room = permitted ? take_sample_room(bytes, offset) : nullptr;
  if (!room) __atomic_fetch_sub(&used_by_times, bytes, __ATOMIC_RELAXED);
  return room;
}

void trim_sample_file() {
  if (!memory) return;
  __atomic_store_n(&closed, true, __ATOMIC_RELEASE);
  // A handler that grows the file now leaves it longer, which is harmless.
  const int file = open_own_file(path);
  if (file < 0) return;
  const uint64_t before = file_header->file_bytes;
  file_header->file_bytes = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  if (ftruncate(file, static_cast<off_t>(file_header->file_bytes)))
    file_header->file_bytes = before;
  uncancelled::close(file);
}

}  // namespace plait::preload::sampling
