// SPDX-License-Identifier: BSD-3-Clause
// Gives threads their tables, takes them back when threads end, and grows full tables.
#include "preload/calls/thread.hpp"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/calls/function_info.hpp"
#include "preload/counters/counters.hpp"
#include "preload/hooks.hpp"
#include "preload/mpi_library.hpp"

namespace plait::preload {

__thread Thread* self __attribute__((tls_model("initial-exec")));

namespace {

constexpr uint32_t kFirstCalls = 1 << 11, kMostCalls = 1 << 16;
constexpr uint32_t kFirstColls = 1 << 9, kMostColls = 1 << 15;
constexpr uint32_t kMostPeers = 1 << 20;

enum Activity : int { kUnknown, kActive, kRetired };
// An int, because atomic built-ins take no enumerations with every compiler.
int activity = kUnknown;
int lock;
Thread* free_threads;
pthread_key_t at_thread_end;
__thread bool starting __attribute__((tls_model("initial-exec")));

uint32_t power_of_two(uint64_t at_least) {
  uint32_t power = 64;
  while (power < at_least && power < kMostPeers) power *= 2;
  return power;
}

// Page faults should occur here, not in an MPI call.
void touch_pages(void* memory, uint64_t bytes) {
#if defined(MADV_POPULATE_WRITE)
  madvise(memory, (bytes + 4095) / 4096 * 4096, MADV_POPULATE_WRITE);
#else
  memset(memory, 0, bytes);
#endif
}

// Gives the thread a new record with empty tables. A record with a full table stays as it is, and
// the thread continues in another one with the same tid.
bool give_record(Thread* thread, uint32_t calls, uint32_t colls) {
  uint64_t offset = 0;
  const uint64_t call_bytes = sizeof(plait_call_entry) * calls;
  const uint64_t bytes = call_bytes + sizeof(plait_coll_entry) * colls;
  auto* memory = static_cast<char*>(carve(bytes, &offset));
  if (!memory) return false;
  auto* entry = static_cast<plait_thread_record*>(append(PLAIT_SECTION_THREADS));
  if (!entry) return false;
  touch_pages(memory, bytes);
  entry->tid = static_cast<int32_t>(syscall(SYS_gettid));
  entry->omp_thread = -1;
  entry->calls_offset = offset;
  entry->calls_capacity = calls;
  entry->colls_offset = offset + call_bytes;
  entry->colls_capacity = colls;
  publish(PLAIT_SECTION_THREADS);
  thread->calls = reinterpret_cast<plait_call_entry*>(memory);
  thread->calls_mask = calls - 1;
  thread->calls_shift = 64 - static_cast<uint32_t>(__builtin_ctz(calls));
  thread->calls_room = calls / 4 * 3;
  thread->colls = reinterpret_cast<plait_coll_entry*>(memory + call_bytes);
  thread->colls_mask = colls - 1;
  thread->colls_shift = 64 - static_cast<uint32_t>(__builtin_ctz(colls));
  thread->colls_room = colls / 4 * 3;
  thread->peers = nullptr;
  thread->peers_room = 0;
  if (thread->record) thread->mpi_ticks_before += thread->record->mpi_ticks;
  thread->record = entry;
  return true;
}

Thread* new_thread() {
  SpinLock hold(&lock);
  if (free_threads) {
    Thread* thread = free_threads;
    free_threads = thread->next_free;
    thread->last_exit = 0;
    thread->wait = {};
    return thread;
  }
  const uint64_t site_bytes = sizeof(SiteSlot) << Thread::kSiteBits;
  auto* memory = static_cast<char*>(map_pages(site_bytes + sizeof(Thread)));
  if (!memory) return nullptr;
  auto* thread = reinterpret_cast<Thread*>(memory + site_bytes);
  thread->sites = reinterpret_cast<SiteSlot*>(memory);
  if (!give_record(thread, kFirstCalls, kFirstColls)) return nullptr;
  touch_pages(memory, site_bytes);
  return thread;
}

void end_thread(void* thread) {
  SpinLock hold(&lock);
  if (!self) return;
  auto* ended = static_cast<Thread*>(thread);
  ended->next_free = free_threads;
  ended->depth = 0;
  free_threads = ended;
  self = nullptr;
}

bool activate() {
  if (activity != kUnknown) return activity == kActive;
  // A process without MPI (so far) only asks for its state: it needs no file.
  if (!has_mpi()) return false;
  if (!open_record()) {
    activity = kRetired;
    return false;
  }
  if (!library_fits()) {
    step_aside(
        "this process uses an MPI library with another ABI than expected, so it is not recorded; "
        "choose the MPI with plait run --mpi");
    activity = kRetired;
    return false;
  }
  record->abi = kAbi;
  pthread_key_create(&at_thread_end, end_thread);
  for (uint32_t i = 0; i < kFunctionsInAll; ++i) {
    const FunctionInfo& function = kFunctions[i];
    if (auto* entry = static_cast<plait_function_record*>(append(PLAIT_SECTION_FUNCTIONS))) {
      entry->name = add_string(function.name);
      entry->is_coll = function.collective;
      publish(PLAIT_SECTION_FUNCTIONS);
    }
  }
  open_observers();
  __atomic_store_n(&activity, kActive, __ATOMIC_RELEASE);
  return true;
}

void lose_call() {
  if (record) __atomic_add_fetch(&record->lost_calls, 1, __ATOMIC_RELAXED);
}

// What the thread waited up to `now` belongs to its part from `since` on, as far as it fits there.
uint64_t divide_wait(Thread* thread, uint64_t since, uint64_t now, bool inside) {
  sample_memory_if_due(now);
  if (thread->wait.sampled > since) since = thread->wait.sampled;
  if (since > now) since = now;  // the clocks of two CPUs
  const uint64_t before = since - thread->wait.sampled;
  const uint64_t in_mpi = thread->mpi_ticks_before + thread->record->mpi_ticks;
  const uint64_t before_in_mpi = in_mpi - thread->mpi_ticks_at_wait;
  thread->mpi_ticks_at_wait = in_mpi;
  const uint64_t waited = read_wait(thread->wait, now);
  if (waited == 0 || __builtin_expect(paused, 0)) return 0;
  const uint64_t here = waited < now - since ? waited : now - since;
  const uint64_t rest = waited - here < before ? waited - here : before;
  const double share =
      before ? static_cast<double>(before_in_mpi) / static_cast<double>(before) : 0;
  const auto rest_in_mpi =
      static_cast<uint64_t>(static_cast<double>(rest) * (share < 1 ? share : 1));
  thread->record->mpi_wait_ticks += rest_in_mpi + (inside ? here : 0);
  thread->record->outside_wait_ticks += rest - rest_in_mpi + (inside ? 0 : here);
  return here;
}

}  // namespace

Thread* thread_slab() {
  if (__atomic_load_n(&activity, __ATOMIC_ACQUIRE) == kRetired) {
    lose_call();
    return nullptr;
  }
  if (starting) return nullptr;
  starting = true;
  bool active;
  {
    SpinLock hold(&lock);
    active = activate();
  }
  Thread* thread = active ? new_thread() : nullptr;
  starting = false;
  if (!thread) {
    if (active) retire();  // no room: do not try again at each call
    lose_call();
    return nullptr;
  }
  self = thread;
  pthread_setspecific(at_thread_end, thread);
  counters::begin_thread(-1);
  counters::restart_clock();
  return thread;
}

uint64_t thread_mpi_ticks() {
  return self ? self->mpi_ticks_before + self->record->mpi_ticks : 0;
}

bool is_inside_mpi() {
  return self && self->depth != 0;
}

uint64_t read_wait_outside(Thread* thread, uint64_t now) {
  if (counters::active) counters::at_call(now, thread_mpi_ticks());
  if (!is_due(thread->wait, now)) return 0;
  return divide_wait(thread, thread->last_exit, now, false);
}

uint64_t read_wait_inside(Thread* thread, uint64_t began, uint64_t now) {
  // keep() adds the call's time later.
  if (counters::active) counters::at_call(now, thread_mpi_ticks() + now - began);
  if (!is_due(thread->wait, now)) return 0;
  const uint64_t in_mpi = thread->record->mpi_ticks;
  const uint64_t here = divide_wait(thread, began, now, true);
  // keep() adds this call's time later, but the clock has already passed it.
  thread->mpi_ticks_at_wait = thread->mpi_ticks_before + in_mpi + now - began;
  return here;
}

void retire() {
  __atomic_store_n(&activity, kRetired, __ATOMIC_RELEASE);
}

void retire_child() {
  // A process without MPI so far has no record that its child could damage.
  if (record || activity != kUnknown) activity = kRetired;
  checking = watching = false;
  counters::forget();
  self = nullptr;
  record = nullptr;
  lock = 0;
}

plait_call_entry* more_room(Thread* thread, uint64_t key) {
  if (thread->calls_room == 0) {
    const uint32_t larger = (thread->calls_mask + 1) * 4;
    SpinLock hold(&lock);
    if (larger > kMostCalls || !give_record(thread, larger, thread->colls_mask + 1)) {
      lose_call();
      return nullptr;
    }
  }
  --thread->calls_room;
  uint32_t i = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> thread->calls_shift);
  while (thread->calls[i].key) i = (i + 1) & thread->calls_mask;
  thread->calls[i].first_ticks = now_ticks();
  thread->calls[i].key = key;
  return &thread->calls[i];
}

plait_peer_entry* peer_slot(Thread* thread, uint64_t key) {
  if (!thread->peers) {
    uint64_t offset = 0;
    const uint64_t world = record && record->world_size > 0 ? record->world_size : 1;
    const uint32_t capacity = power_of_two(4 * world);
    void* memory = carve(sizeof(plait_peer_entry) * capacity, &offset);
    if (!memory) return lose_call(), nullptr;
    thread->peers = static_cast<plait_peer_entry*>(memory);
    thread->peers_mask = capacity - 1;
    thread->peers_room = capacity / 4 * 3;
    thread->record->peers_offset = offset;
    __atomic_store_n(&thread->record->peers_capacity, capacity, __ATOMIC_RELEASE);
  }
  for (uint64_t i = key & thread->peers_mask;; i = (i + 1) & thread->peers_mask) {
    plait_peer_entry* entry = &thread->peers[i];
    if (entry->key == key) return entry;
    if (entry->key) continue;
    if (thread->peers_room == 0) return lose_call(), nullptr;
    --thread->peers_room;
    entry->key = key;
    return entry;
  }
}

void add_collective(Thread* thread, uint32_t function, uint32_t comm, int root, uint64_t bytes) {
  if (__builtin_expect(paused, 0)) return;
  const uint64_t key = PLAIT_KEY_USED | static_cast<uint64_t>(function) << 48 |
                       static_cast<uint64_t>(comm & 0xffffu) << 32 |
                       static_cast<uint32_t>(root + 1);
  for (;;) {
    uint32_t i = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15u) >> thread->colls_shift);
    while (thread->colls[i].key && thread->colls[i].key != key) i = (i + 1) & thread->colls_mask;
    plait_coll_entry* entry = &thread->colls[i];
    if (entry->key == 0 && thread->colls_room == 0) {
      const uint32_t larger = (thread->colls_mask + 1) * 4;
      SpinLock hold(&lock);
      if (larger > kMostColls || !give_record(thread, thread->calls_mask + 1, larger))
        return lose_call();
      continue;
    }
    if (entry->key == 0) --thread->colls_room;
    entry->key = key;
    ++entry->count;
    entry->bytes += bytes;
    return;
  }
}

}  // namespace plait::preload
