// SPDX-License-Identifier: BSD-3-Clause
// Caliper's annotations (github.com/LLNL/Caliper) as regions, in programs that are linked with its
// shared library: C and Fortran by its functions, C++ by the constructors of its scopes.
#include <dlfcn.h>
#include <stdint.h>

#include "preload/coverage/loaded.hpp"
#include "preload/regions/regions.hpp"

namespace plait::preload {

namespace {

constexpr const char* kCaliper[] = {"libcaliper", nullptr};

// Caliper may call one of its functions from another one: that is one region.
__attribute__((tls_model("initial-exec"))) __thread int inside;

template <class Function>
Function real(Function& known, const char* symbol) {
  if (!known) known = reinterpret_cast<Function>(next_symbol(symbol, kCaliper));
  return known;
}

// The attributes of functions and loops, whose values are names.
bool names_code(uint64_t attribute) {
  static const uint64_t *of_function, *of_loop;
  if (!of_function) {
    of_loop = static_cast<const uint64_t*>(dlsym(RTLD_DEFAULT, "cali_loop_attr_id"));
    of_function = static_cast<const uint64_t*>(dlsym(RTLD_DEFAULT, "cali_function_attr_id"));
  }
  return (of_function && *of_function == attribute) || (of_loop && *of_loop == attribute);
}

}  // namespace

#define PLAIT_EXPORT extern "C" __attribute__((visibility("default"), used))

// A pair of functions with a name each.
#define PLAIT_CALIPER_PAIR(begin, end)        \
  PLAIT_EXPORT void begin(const char* name) { \
    static void (*next)(const char*);         \
    if (inside == 0) region_enter(name);      \
    ++inside;                                 \
    if (real(next, #begin)) next(name);       \
    --inside;                                 \
  }                                           \
  PLAIT_EXPORT void end(const char* name) {   \
    static void (*next)(const char*);         \
    ++inside;                                 \
    if (real(next, #end)) next(name);         \
    --inside;                                 \
    if (inside == 0) region_leave(name);      \
  }

PLAIT_CALIPER_PAIR(cali_begin_region, cali_end_region)
PLAIT_CALIPER_PAIR(cali_begin_phase, cali_end_phase)
PLAIT_CALIPER_PAIR(cali_begin_comm_region, cali_end_comm_region)

// CALI_MARK_FUNCTION_BEGIN and CALI_MARK_LOOP_BEGIN. Caliper 2 returns an error code, later
// releases nothing.
PLAIT_EXPORT int cali_begin_string(uint64_t attribute, const char* value) {
  static int (*next)(uint64_t, const char*);
  if (inside == 0 && names_code(attribute)) region_enter(value);
  ++inside;
  const int code = real(next, "cali_begin_string") ? next(attribute, value) : 0;
  --inside;
  return code;
}

PLAIT_EXPORT int cali_end(uint64_t attribute) {
  static int (*next)(uint64_t);
  ++inside;
  const int code = real(next, "cali_end") ? next(attribute) : 0;
  --inside;
  if (inside == 0 && names_code(attribute)) region_leave(nullptr);
  return code;
}

// CALI_CXX_MARK_FUNCTION and CALI_CXX_MARK_SCOPE: objects of these classes.
#define PLAIT_CALIPER_SCOPE(number, constructor, destructor)                                      \
  PLAIT_EXPORT void plait_cali_begin_##number(void* self, const char* name) __asm__(constructor); \
  void plait_cali_begin_##number(void* self, const char* name) {                                  \
    static void (*next)(void*, const char*);                                                      \
    if (inside == 0) region_enter(name);                                                          \
    ++inside;                                                                                     \
    if (real(next, constructor)) next(self, name);                                                \
    --inside;                                                                                     \
  }                                                                                               \
  PLAIT_EXPORT void plait_cali_end_##number(void* self) __asm__(destructor);                      \
  void plait_cali_end_##number(void* self) {                                                      \
    static void (*next)(void*);                                                                   \
    ++inside;                                                                                     \
    if (real(next, destructor)) next(self);                                                       \
    --inside;                                                                                     \
    if (inside == 0) region_leave(nullptr);                                                       \
  }

PLAIT_CALIPER_SCOPE(1, "_ZN4cali8FunctionC1EPKc", "_ZN4cali8FunctionD1Ev")
PLAIT_CALIPER_SCOPE(2, "_ZN4cali15ScopeAnnotationC1EPKc", "_ZN4cali15ScopeAnnotationD1Ev")

}  // namespace plait::preload
