// SPDX-License-Identifier: BSD-3-Clause
// Numbers the MPI functions that this object wraps, and finds the library's own functions.
#pragma once

#include <stdint.h>

#include "preload/calls/abi.hpp"
#include "preload/calls/function_info.hpp"
#include "preload/mpi_library.hpp"

namespace plait::preload {

#define PLAIT_FUNCTION_NAMES
#define PLAIT_FUNCTION(name, collective) kFunction_##name,
enum FunctionId : uint32_t {
#include "wrappers.inc"
  kFunctionCount
};
#undef PLAIT_FUNCTION
#undef PLAIT_FUNCTION_NAMES

extern void* real_entries[kFunctionCount];

/// Looks for the library's own function: PMPI_X, or MPI_X where that is missing; a function that
/// returns MPI_ERR_UNSUPPORTED_OPERATION when the library has neither. Takes locks once.
void* resolve(FunctionId function);

template <class Function>
inline Function real_function(FunctionId function) {
  void* entry = __atomic_load_n(&real_entries[function], __ATOMIC_RELAXED);
  if (__builtin_expect(entry == nullptr, 0)) entry = resolve(function);
  return reinterpret_cast<Function>(entry);
}

extern void* next_entries[kFunctionCount];

/// Looks for the MPI_X after ours: that of another tool, if there is one, else resolve()'s.
void* resolve_next(FunctionId function);

template <class Function>
inline Function next_function(FunctionId function) {
  void* entry = __atomic_load_n(&next_entries[function], __ATOMIC_RELAXED);
  if (__builtin_expect(entry == nullptr, 0)) entry = resolve_next(function);
  return reinterpret_cast<Function>(entry);
}

/// Calls the library's own function, e.g. call_real<kFunction_Comm_size>(comm, &size). Handles
/// and pointers must have the types in abi/mpi.hpp.
template <FunctionId function, class... Arguments>
inline int call_real(Arguments... arguments) {
  return real_function<int (*)(Arguments...)>(function)(arguments...);
}

}  // namespace plait::preload
