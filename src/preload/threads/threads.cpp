// SPDX-License-Identifier: BSD-3-Clause
// pthread_create: a thread that calls neither MPI nor OpenMP gets counters and samples, too.
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "preload/access.hpp"
#include "preload/uncancelled.hpp"

namespace {

using Function = void* (*)(void*);
using Create = int (*)(pthread_t*, const pthread_attr_t*, Function, void*);

struct Start {
  Function function;
  void* argument;
};

void* begin(void* data) {
  const Start start = *static_cast<Start*>(data);
  free(data);
  {
    const plait::preload::uncancelled::Section section;
    plait_preload_access()->begin_thread();
  }
  return start.function(start.argument);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int plait_pthread_create(
    pthread_t*, const pthread_attr_t*, Function, void*) __asm__("pthread_create");
extern "C" int plait_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                    Function function, void* argument) {
  static void* next;
  if (!__atomic_load_n(&next, __ATOMIC_ACQUIRE))
    __atomic_store_n(&next, dlsym(RTLD_NEXT, "pthread_create"), __ATOMIC_RELEASE);
  const auto create = reinterpret_cast<Create>(next);
  const bool observed = plait_preload_access && plait_preload_access()->recording();
  auto* start = observed ? static_cast<Start*>(malloc(sizeof(Start))) : nullptr;
  if (!start) return create(thread, attributes, function, argument);
  *start = {function, argument};
  const int error = create(thread, attributes, begin, start);
  if (error) free(start);
  return error;
}
