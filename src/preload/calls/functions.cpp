// SPDX-License-Identifier: BSD-3-Clause
// The table of wrapped functions, and the library's own function for each.
#include "preload/calls/functions.hpp"

#include <dlfcn.h>
#include <string.h>

#include "preload/hooks.hpp"
#include "preload/recorder.hpp"

namespace plait::preload {

#define PLAIT_FUNCTION_NAMES
#define PLAIT_FUNCTION(name, collective) {"MPI_" #name, (collective) != 0},
const FunctionInfo kFunctions[] = {
#include "wrappers.inc"
};
#undef PLAIT_FUNCTION
#undef PLAIT_FUNCTION_NAMES
const uint32_t kFunctionsInAll = kFunctionCount;
static_assert(kFunctionCount <= kMostFunctions);

const plait_abi kAbi = kFamilyAbi;

void* real_entries[kFunctionCount];
void* next_entries[kFunctionCount];

namespace {

// An MPI library may consist of several files. A tool such as libmpiP is not one of them.
bool is_mpi_file(const char* path) {
  static const char* const names[] = {"libmpi.",    "libmpi_",   "libmpich",
                                      "libmpifort", "libmpicxx", "libmpl"};
  const char* slash = strrchr(path, '/');
  const char* file = slash ? slash + 1 : path;
  for (const char* name : names)
    if (!strncmp(file, name, strlen(name))) return true;
  return false;
}

int absent_function() {
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

// A process without MPI may see our MPI_Initialized and ask it.
int absent_state(int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

bool asks_state(FunctionId function) {
  return function == kFunction_Initialized || function == kFunction_Finalized;
}

}  // namespace

void* resolve(FunctionId function) {
  char profiling_name[80] = "P";
  strncat(profiling_name, kFunctions[function].name, sizeof profiling_name - 2);
  void* entry = find_symbol(profiling_name);
  if (!entry) entry = find_symbol(kFunctions[function].name);
  if (!entry) {
    // Not kept: a program that opens MPI later must find it.
    return asks_state(function) ? reinterpret_cast<void*>(&absent_state)
                                : reinterpret_cast<void*>(&absent_function);
  }
  __atomic_store_n(&real_entries[function], entry, __ATOMIC_RELAXED);
  return entry;
}

void* resolve_next(FunctionId function) {
  void* library = resolve(function);
  if (!__atomic_load_n(&real_entries[function], __ATOMIC_RELAXED)) return library;  // absent
  void* entry = find_symbol(kFunctions[function].name);
  Dl_info own, next;
  if (!entry || !dladdr(library, &own) || !dladdr(entry, &next) ||
      own.dli_fbase == next.dli_fbase || is_mpi_file(next.dli_fname))
    entry = library;
  __atomic_store_n(&next_entries[function], entry, __ATOMIC_RELAXED);
  return entry;
}

#if defined(PLAIT_FAMILY_ABI)
uint64_t status_bytes(const MPI_Status& status) {
  MPI_Count bytes = 0;
  if (call_real<kFunction_Get_elements_x>(&status, byte_type(), &bytes) != MPI_SUCCESS) return 0;
  return bytes > 0 ? static_cast<uint64_t>(bytes) : 0;
}
#endif

// Functions that are not wrapped on purpose: they do not communicate and must stay cheap; or a
// Fortran layer uses them to convert handles in each of its calls; or programs such as mpi4py look
// for them to find out which MPI is loaded.
static bool left_alone(const char* name) {
  static const char* const exact[] = {"Wtime",     "Wtick",       "Aint_add",
                                      "Aint_diff", "Get_version", "Get_library_version"};
  static const char* const suffixes[] = {"_f2c",   "_c2f",     "_f2f08", "_f082f",   "_f082c",
                                         "_c2f08", "_toint",   "_fn",    "_fromint", "_FN",
                                         "_F90",   "_FN_NULL", "_NULL",  "_IGNORE",  "_EMPTY"};
  if (!strncmp(name, "T_", 2) || !strncmp(name, "Abi_", 4)) return true;
  for (const char* known : exact)
    if (!strcmp(name, known)) return true;
  for (const char* suffix : suffixes) {
    const size_t length = strlen(name), tail = strlen(suffix);
    if (length >= tail && !strcmp(name + length - tail, suffix)) return true;
  }
  return !strcmp(name, "UNWEIGHTED");
}

bool is_wrapped(const char* mpi_symbol) {
  if (*mpi_symbol == 'P') ++mpi_symbol;
  if (strncmp(mpi_symbol, "MPI_", 4) != 0) return false;
  if (left_alone(mpi_symbol + 4) || !strcmp(mpi_symbol, "MPI_Pcontrol")) return true;
  for (uint32_t i = 0; i < kFunctionCount; ++i)
    if (!strcmp(kFunctions[i].name, mpi_symbol)) return true;
  return false;
}

}  // namespace plait::preload
