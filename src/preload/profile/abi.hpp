// SPDX-License-Identifier: BSD-3-Clause
// What differs between the MPI ABIs: header, predefined handles, how a status tells its bytes.
//
// An object is compiled with the header of one ABI but must run under several versions of its
// libraries, so no MPI function is referred to directly (functions.hpp finds them), and no
// predefined handle of Open MPI, which are addresses of data, is either.
#pragma once

#include <stdint.h>

#include <type_traits>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#if defined(PLAIT_FAMILY_ABI)
#include <mpi_abi.h>
#else
#include <mpi.h>
#endif

#include "trace/record_format.h"

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5
typedef void* MPI_Session;
#endif

namespace plait::preload {

/// A handle as the caller passed it: wide enough for every ABI.
using Word = uintptr_t;

template <class Handle>
Handle as(Word word) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(word);
  } else {
    return static_cast<Handle>(word);
  }
}

inline Word word_of(int handle) {
  return static_cast<unsigned>(handle);
}
inline Word word_of(const void* handle) {
  return reinterpret_cast<Word>(handle);
}

/// A datum of the MPI library by name, as the program sees it: its executable may hold a copy
/// (copy relocation) that the library uses as well. Null: absent.
void* find_data(const char* name);

#if defined(PLAIT_FAMILY_OPENMPI)
constexpr plait_abi kAbi = PLAIT_ABI_OPENMPI;
/// A predefined handle, looked for until it is found: asking the loader costs more than a call.
template <class Handle>
Handle predefined(const char* name, Handle* kept) {
  Handle handle = __atomic_load_n(kept, __ATOMIC_RELAXED);
  if (__builtin_expect(handle == nullptr, 0)) {
    handle = static_cast<Handle>(find_data(name));
    __atomic_store_n(kept, handle, __ATOMIC_RELAXED);
  }
  return handle;
}
inline MPI_Comm world_comm() {
  static MPI_Comm kept;
  return predefined("ompi_mpi_comm_world", &kept);
}
inline MPI_Comm no_comm() {
  static MPI_Comm kept;
  return predefined("ompi_mpi_comm_null", &kept);
}
inline MPI_Win no_win() {
  static MPI_Win kept;
  return predefined("ompi_mpi_win_null", &kept);
}
inline MPI_Request no_request() {
  static MPI_Request kept;
  return predefined("ompi_request_null", &kept);
}
inline MPI_Datatype byte_type() {
  static MPI_Datatype kept;
  return predefined("ompi_mpi_byte", &kept);
}
inline MPI_Datatype no_type() {
  static MPI_Datatype kept;
  return predefined("ompi_mpi_datatype_null", &kept);
}
inline uint64_t status_bytes(const MPI_Status& status) {
  return status._ucount;
}
#else
inline MPI_Comm world_comm() {
  return MPI_COMM_WORLD;
}
inline MPI_Comm no_comm() {
  return MPI_COMM_NULL;
}
inline MPI_Win no_win() {
  return MPI_WIN_NULL;
}
inline MPI_Request no_request() {
  return MPI_REQUEST_NULL;
}
inline MPI_Datatype byte_type() {
  return MPI_BYTE;
}
inline MPI_Datatype no_type() {
  return MPI_DATATYPE_NULL;
}
#if defined(PLAIT_FAMILY_MPICH)
constexpr plait_abi kAbi = PLAIT_ABI_MPICH;
inline uint64_t status_bytes(const MPI_Status& status) {
  const auto high = static_cast<unsigned>(status.count_hi_and_cancelled) >> 1;
  return static_cast<uint64_t>(high) << 32 | static_cast<unsigned>(status.count_lo);
}
#else
constexpr plait_abi kAbi = PLAIT_ABI_STANDARD;
uint64_t status_bytes(const MPI_Status& status);  ///< asks the library
#endif
#endif

}  // namespace plait::preload
