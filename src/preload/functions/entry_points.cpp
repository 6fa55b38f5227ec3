// SPDX-License-Identifier: BSD-3-Clause
// The functions that compilers call for -finstrument-functions.
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#include "preload/coverage/loaded.hpp"
#include "preload/functions/functions.hpp"

namespace plait::preload::functions {

namespace {

using Hook = void (*)(void*, void*);

// The program may have a library with such a function, as that of another profiler. The C library's
// does nothing.
Hook of_program(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  Dl_info info;
  if (!found || !dladdr(found, &info) || !strncmp(base_name(info.dli_fname), "libc.", 5))
    return nullptr;
  return reinterpret_cast<Hook>(found);
}

struct Hooks {
  Hook enter, leave;
};

const Hooks& hooks() {
  static Hooks found;
  static bool known;
  if (!__atomic_load_n(&known, __ATOMIC_ACQUIRE)) {
    found = {of_program("__cyg_profile_func_enter"), of_program("__cyg_profile_func_exit")};
    __atomic_store_n(&known, true, __ATOMIC_RELEASE);
  }
  return found;
}

uintptr_t address(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the compilers' names.
extern "C" {

__attribute__((visibility("default"), used)) void __cyg_profile_func_enter(void* function,
                                                                           void* site) {
  if (const Hook next = hooks().enter) next(function, site);
  enter(address(function), address(site), address(__builtin_frame_address(0)));
}

__attribute__((visibility("default"), used)) void __cyg_profile_func_exit(void* function,
                                                                          void* site) {
  leave(address(function), address(site), address(__builtin_frame_address(0)));
  if (const Hook next = hooks().leave) next(function, site);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)

}  // namespace plait::preload::functions
