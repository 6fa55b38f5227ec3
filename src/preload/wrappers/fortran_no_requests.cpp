// SPDX-License-Identifier: BSD-3-Clause
// Fortran calls that complete none of zero requests: Open MPI's Fortran layer returns before it
// calls the C function, so the wrappers would not count them.
#if defined(PLAIT_FAMILY_OPENMPI)

#include "preload/calls/functions.hpp"
#include "preload/recorder.hpp"

extern "C" {
int MPI_Waitall(int, void*, void*);
int MPI_Testall(int, void*, int*, void*);
int MPI_Waitany(int, void*, int*, void*);
int MPI_Testany(int, void*, int*, int*, void*);
int MPI_Waitsome(int, void*, int*, int*, void*);
int MPI_Testsome(int, void*, int*, int*, void*);
}

namespace plait::preload {
namespace {

// Outside MPI_Init and MPI_Finalize, the C function would end the program.
bool is_to_count(const int* count) {
  return *count == 0 && record && record->state == PLAIT_STATE_INITIALIZED;
}

// The routine of the Fortran layer, which mpi_f08's routines call as well.
template <class Routine>
Routine fortran_routine(const char* internal, const char* name) {
  void* found = find_symbol(internal);
  return reinterpret_cast<Routine>(found ? found : find_symbol(name));
}

int index_or_count, flag;  // results that nobody reads

}  // namespace
}  // namespace plait::preload

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are lists of parameters, and a call.
// One routine under the names that Fortran compilers give it; `count_call` is the C call.
#define PLAIT_ROUTINE(lower, UPPER, parameters, arguments, count_call)                        \
  extern "C" __attribute__((visibility("default"))) void ompi_##lower##_f parameters {        \
    using Routine = void(*) parameters;                                                       \
    static Routine own;                                                                       \
    if (!own)                                                                                 \
      own = plait::preload::fortran_routine<Routine>("ompi_" #lower "_f", "mpi_" #lower "_"); \
    if (plait::preload::is_to_count(count)) count_call;                                       \
    own arguments;                                                                            \
  }                                                                                           \
  PLAIT_NAME(lower, mpi_##lower, parameters)                                                  \
  PLAIT_NAME(lower, mpi_##lower##_, parameters)                                               \
  PLAIT_NAME(lower, mpi_##lower##__, parameters)                                              \
  PLAIT_NAME(lower, MPI_##UPPER, parameters)                                                  \
  PLAIT_NAME(lower, pmpi_##lower, parameters)                                                 \
  PLAIT_NAME(lower, pmpi_##lower##_, parameters)                                              \
  PLAIT_NAME(lower, pmpi_##lower##__, parameters)                                             \
  PLAIT_NAME(lower, PMPI_##UPPER, parameters)
#define PLAIT_NAME(lower, name, parameters) \
  extern "C"                                \
      __attribute__((visibility("default"), alias("ompi_" #lower "_f"))) void name parameters;
// NOLINTEND(bugprone-macro-parentheses)

PLAIT_ROUTINE(waitall, WAITALL, (int* count, void* requests, void* statuses, int* error),
              (count, requests, statuses, error), MPI_Waitall(0, nullptr, nullptr))
PLAIT_ROUTINE(testall, TESTALL, (int* count, void* requests, int* flag, void* statuses, int* error),
              (count, requests, flag, statuses, error),
              MPI_Testall(0, nullptr, &plait::preload::flag, nullptr))
PLAIT_ROUTINE(waitany, WAITANY, (int* count, void* requests, int* index, void* status, int* error),
              (count, requests, index, status, error),
              MPI_Waitany(0, nullptr, &plait::preload::index_or_count, nullptr))
PLAIT_ROUTINE(testany, TESTANY,
              (int* count, void* requests, int* index, int* flag, void* status, int* error),
              (count, requests, index, flag, status, error),
              MPI_Testany(0, nullptr, &plait::preload::index_or_count, &plait::preload::flag,
                          nullptr))
PLAIT_ROUTINE(waitsome, WAITSOME,
              (int* count, void* requests, int* done, int* indices, void* statuses, int* error),
              (count, requests, done, indices, statuses, error),
              MPI_Waitsome(0, nullptr, &plait::preload::index_or_count,
                           &plait::preload::index_or_count, nullptr))
PLAIT_ROUTINE(testsome, TESTSOME,
              (int* count, void* requests, int* done, int* indices, void* statuses, int* error),
              (count, requests, done, indices, statuses, error),
              MPI_Testsome(0, nullptr, &plait::preload::index_or_count,
                           &plait::preload::index_or_count, nullptr))

#endif
