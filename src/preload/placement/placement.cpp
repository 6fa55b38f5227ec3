// SPDX-License-Identifier: BSD-3-Clause
// Records where the threads of this process may run: at the end of MPI_Init, and in the first
// parallel region.
#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/coverage/loaded.hpp"
#include "preload/hooks.hpp"
#include "preload/openmp/openmp.hpp"
#include "preload/placement/cgroup.hpp"
#include "preload/placement/foreign.hpp"
#include "preload/placement/proc_files.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {

namespace {

int placement_lock;

void keep(plait_placement_phase phase, int tid, int thread, int last_cpu) {
  SpinLock hold(&placement_lock);
  auto* entry = static_cast<plait_placement_record*>(append(PLAIT_SECTION_PLACEMENT));
  if (!entry) return;
  entry->phase = phase;
  entry->tid = tid;
  entry->thread = thread;
  entry->last_cpu = last_cpu;
  affinity_of(tid, entry->allowed);
  publish(PLAIT_SECTION_PLACEMENT);
}

bool keep_thread(int tid, void*) {
  char path[64], stat[1024];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
  if (read_text(path, stat, sizeof stat) <= 0) return true;  // it ended meanwhile
  const char* processor = stat_field(stat, 39);
  keep(PLAIT_PHASE_INIT, tid, -1, processor ? atoi(processor) : -1);
  return true;
}

bool says(const char* text, const char* word) {
  return text && strstr(text, word);
}

// Does this MPI yield its core while it waits? Asks the library if possible; else uses its known
// default. (Reading control variables through MPI_T would initialize it.)
int mpi_yields() {
  if (getenv("PLAIT_TRANSPORT")) return 1;  // ranks that wait for messages sleep
  if (record->abi == PLAIT_ABI_OPENMPI) {
    constexpr const char* kLibopal[] = {"libopen-pal", nullptr};
    const void* flag = dlsym(RTLD_DEFAULT, "opal_progress_yield_when_idle");
    if (!flag) {
      void* library = loaded_library(kLibopal);
      flag = library ? dlsym(library, "opal_progress_yield_when_idle") : nullptr;
    }
    return flag ? *static_cast<const bool*>(flag) : -1;
  }
  const char* library = entry_at<const char>(PLAIT_SECTION_STRINGS, record->library);
  if (says(library, "Intel")) {
    const char* mode = getenv("I_MPI_WAIT_MODE");
    const char* yield = getenv("I_MPI_THREAD_YIELD");
    if ((mode && strchr("1eEoO", *mode) && strcmp(mode, "off") != 0) ||
        (yield && atoi(yield) >= 2)) {
      return 1;
    }
    return -1;  // its default differs by version and pinning
  }
  if (says(library, "MPICH")) return 0;
  return -1;
}

}  // namespace

void placement_init() {
  if (!record) return;
  uint64_t allowed[PLAIT_MAX_CPUS / 64] = {};
  record->allowed_cpus = affinity_of(getpid(), allowed);
  record->cgroup_quota_cores = cgroup_quota_cores();
  record->mpi_yields = mpi_yields();
  record->omp_max_threads = openmp::max_threads();
  each_number("/proc/self/task", &keep_thread, nullptr);
  record_foreign_processes(allowed);
}

void placement_after_parallel(int omp_thread, int) {
  if (!record) return;
  keep(PLAIT_PHASE_AFTER_PARALLEL, static_cast<int>(syscall(SYS_gettid)), omp_thread,
       sched_getcpu());
}

}  // namespace plait::preload
