// SPDX-License-Identifier: BSD-3-Clause
// Loaded into ranks that share cores: a rank that polls in vain sleeps for a moment. MPICH's polls
// through UCX never yield, and Linux lets a process that yields keep its core for milliseconds, so
// every message would wait for the end of its receiver's neighbours' time slices.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

#define PUBLIC __attribute__((visibility("default")))

static void pause_briefly(void) {
  const struct timespec pause = {0, 20000};
  nanosleep(&pause, NULL);
}

PUBLIC int sched_yield(void);
int sched_yield(void) {
  pause_briefly();
  return 0;
}

// UCX's progress function: returns how much progressed.
PUBLIC unsigned ucp_worker_progress(void* worker);
unsigned ucp_worker_progress(void* worker) {
  static unsigned (*progress)(void*);
  static _Thread_local int in_vain;
  if (progress == NULL) {
    // ISO C has no cast from an object's address to a function's.
    *(void**)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (progress == NULL) return 0;
  }
  const unsigned progressed = progress(worker);
  in_vain = progressed > 0 ? 0 : in_vain + 1;
  if (in_vain > 50) pause_briefly();
  return progressed;
}
