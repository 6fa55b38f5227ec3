// SPDX-License-Identifier: BSD-3-Clause
// Finds the OpenMP runtime of the process and how it can be observed.
#include "preload/openmp/openmp.hpp"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "preload/coverage/loaded.hpp"
#include "preload/hooks.hpp"
#include "preload/openmp/gomp.hpp"
#include "preload/openmp/ompt.hpp"

namespace plait::preload {

namespace openmp {

namespace {

constexpr const char* kLibgomp[] = {"libgomp", nullptr};
// Runtimes with LLVM's interface; those built with OMPT define ompt_start_tool.
constexpr const char* kLlvm[] = {"libomp.", "libomp-", "libiomp5", "libnvomp", nullptr};
constexpr const char* kOthers[] = {"libcraymp", "libxlsmp", "libfjomp", "libpgmp", nullptr};

void look_for_runtime() {
  if (!record || record->openmp_view == PLAIT_OPENMP_GOMP ||
      record->openmp_view == PLAIT_OPENMP_OMPT) {
    return;
  }
  if (ompt_active) return set_view(PLAIT_OPENMP_OMPT, ompt_runtime_name());
  char name[64] = "";
  if (void* llvm = loaded_library(kLlvm, name, sizeof name)) {
    const char* tool = getenv("OMP_TOOL");
    const char* others = getenv("OMP_TOOL_LIBRARIES");
    const bool disabled = (tool && !strcmp(tool, "disabled")) || (others && *others);
    const bool seen = dlsym(llvm, "ompt_start_tool") && !disabled;
    return set_view(seen ? PLAIT_OPENMP_OMPT : PLAIT_OPENMP_BLIND, name);
  }
  if (loaded_library(kLibgomp, name, sizeof name)) return set_view(PLAIT_OPENMP_GOMP, name);
  if (loaded_library(kOthers, name, sizeof name)) set_view(PLAIT_OPENMP_BLIND, name);
}

}  // namespace

int max_threads() {
  look_for_runtime();
  if (void* libgomp = loaded_library(kLibgomp)) {
    void* ask = dlsym(libgomp, "omp_get_max_threads");
    if (ask) return reinterpret_cast<int (*)()>(ask)();
  }
  // A question would start LLVM's runtime, which binds threads. So it is asked only if it runs.
  void* llvm = loaded_library(kLlvm);
  if (!llvm) return -1;
  if (void* ask = ompt_active ? dlsym(llvm, "omp_get_max_threads") : nullptr) {
    return reinterpret_cast<int (*)()>(ask)();
  }
  const char* wanted = getenv("OMP_NUM_THREADS");
  const int threads = wanted ? atoi(wanted) : 0;
  return threads > 0 ? threads : record->allowed_cpus;
}

}  // namespace openmp

void openmp_load() {
  openmp::look_for_runtime();
}

void openmp_flush() {
  openmp::look_for_runtime();
  openmp::export_totals();
}

}  // namespace plait::preload
