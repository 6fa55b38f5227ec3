// SPDX-License-Identifier: BSD-3-Clause
// ucp_worker_progress, which MPICH with UCX calls on every poll. MPICH 4.0 never yields.
#include <dlfcn.h>

#include "preload/wait/polled.hpp"

namespace {

using Progress = unsigned (*)(void* worker);

/// The function of libucp. If libucp was loaded by an object that nobody else sees, such as a
/// provider of libfabric, it is found from there.
Progress find_next(const void* caller) {
  static void* next;
  void* known = __atomic_load_n(&next, __ATOMIC_ACQUIRE);
  if (!known) known = dlsym(RTLD_NEXT, "ucp_worker_progress");
  Dl_info info{};
  if (!known && dladdr(caller, &info) && info.dli_fname) {
    if (void* object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD))
      known = dlsym(object, "ucp_worker_progress");
  }
  __atomic_store_n(&next, known, __ATOMIC_RELEASE);
  return reinterpret_cast<Progress>(known);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  const void* caller = __builtin_return_address(0);
  const Progress next = find_next(caller);
  if (!next) return 0;
  const unsigned progressed = next(worker);
  if (progressed == 0 && plait_wait_polled) plait_wait_polled(caller);
  return progressed;
}
