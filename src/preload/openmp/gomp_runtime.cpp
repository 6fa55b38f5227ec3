// SPDX-License-Identifier: BSD-3-Clause
// Finds the real GOMP_* functions.
#include "preload/openmp/gomp_runtime.hpp"

#include <dlfcn.h>
#include <stdio.h>

#include "preload/coverage/loaded.hpp"
#include "preload/openmp/team.hpp"

namespace plait::preload::openmp {

const Runtime* global_runtime;

namespace {

constexpr const char* kNames[] = {
#define PLAIT_GOMP_NAME(name) #name,
    PLAIT_GOMP_FUNCTIONS(PLAIT_GOMP_NAME)
#undef PLAIT_GOMP_NAME
};
constexpr const char* kLibgomp[] = {"libgomp", nullptr};

struct Known {
  void* base;  // where the library is loaded
  Runtime runtime;
};
Known runtimes[8];
const Runtime no_runtime{};

struct Caller {
  const void* address;
  const Runtime* runtime;
};
constexpr uint32_t kCallers = 1024;  // a power of two
Caller callers[kCallers];
int runtime_lock;

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
}

Runtime describe(void* handle, const Dl_info& owner) {
  Runtime runtime{};
  for (int i = 0; i < kGompFunctions; ++i) find(handle, kNames[i], runtime.functions[i]);
  find(handle, "omp_get_thread_num", runtime.thread_num);
  find(handle, "omp_get_num_threads", runtime.num_threads);
  find(handle, "omp_get_cancellation", runtime.cancellation);
  find(handle, "omp_get_max_threads", runtime.max_threads);
  Dl_info llvm{};
  void* fork_call = dlsym(handle, "__kmpc_fork_call");
  const bool is_llvm = fork_call && dladdr(fork_call, &llvm) && llvm.dli_fbase == owner.dli_fbase;
  runtime.measured =
      !is_llvm && runtime.thread_num && runtime.num_threads &&
      (runtime.functions[k_GOMP_parallel] || runtime.functions[k_GOMP_parallel_start]);
  snprintf(runtime.name, sizeof runtime.name, "%s", base_name(owner.dli_fname));
  return runtime;
}

// The runtime that defines `entry`, one of its functions.
const Runtime* runtime_at(void* handle, void* entry) {
  Dl_info owner{}, self{};
  if (!entry || !dladdr(entry, &owner)) return nullptr;
  dladdr(reinterpret_cast<const void*>(&find_runtime), &self);
  if (owner.dli_fbase == self.dli_fbase) return nullptr;
  for (Known& known : runtimes)
    if (__atomic_load_n(&known.base, __ATOMIC_ACQUIRE) == owner.dli_fbase) return &known.runtime;
  // The lock is not held while asking the dynamic linker, whose lock a waiting thread may hold.
  const Runtime found = describe(handle, owner);
  SpinLock hold(&runtime_lock);
  for (Known& known : runtimes) {
    if (known.base == owner.dli_fbase) return &known.runtime;
    if (known.base) continue;
    known.runtime = found;
    __atomic_store_n(&known.base, owner.dli_fbase, __ATOMIC_RELEASE);
    return &known.runtime;
  }
  return nullptr;  // a ninth copy: its callers go to the first one found by name
}

// Every runtime has one of these. A runtime without the first two is not libgomp.
const Runtime* runtime_in(void* handle) {
  if (!handle) return nullptr;
  constexpr const char* kMarks[] = {"GOMP_parallel", "GOMP_parallel_start", "omp_set_lock"};
  for (const char* name : kMarks)
    if (const Runtime* runtime = runtime_at(handle, dlsym(handle, name))) return runtime;
  return nullptr;
}

}  // namespace

const Runtime& find_runtime(const void* caller) {
  const auto first =
      static_cast<uint32_t>((reinterpret_cast<uintptr_t>(caller) * 0x9e3779b97f4a7c15ULL) >> 40);
  for (uint32_t i = 0; i < 16; ++i) {
    const Caller& slot = callers[(first + i) % kCallers];
    const void* at = __atomic_load_n(&slot.address, __ATOMIC_ACQUIRE);
    if (at == caller) return *slot.runtime;
    if (!at) break;
  }
  const Runtime* runtime = runtime_in(RTLD_NEXT);
  if (runtime) {
    __atomic_store_n(&global_runtime, runtime, __ATOMIC_RELEASE);
    return *runtime;
  }
  runtime = runtime_in(object_of(caller));
  if (!runtime) runtime = runtime_in(loaded_library(kLibgomp));
  if (!runtime) return no_runtime;  // not kept: one may be loaded later
  SpinLock hold(&runtime_lock);
  for (uint32_t i = 0; i < 16; ++i) {
    Caller& slot = callers[(first + i) % kCallers];
    if (slot.address) continue;
    slot.runtime = runtime;
    __atomic_store_n(&slot.address, caller, __ATOMIC_RELEASE);
    break;
  }
  return *runtime;
}

}  // namespace plait::preload::openmp
