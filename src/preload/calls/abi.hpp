// SPDX-License-Identifier: BSD-3-Clause
// What differs between the MPI ABIs: types, constants, predefined handles, the bytes in a status.
//
// An object must run under several versions of the libraries of its ABI, so no MPI function and no
// datum of the library is referred to directly (functions.hpp and mpi_library.hpp find them).
#pragma once

#include "abi/mpi.hpp"
#include "preload/handles.hpp"
#include "preload/mpi_library.hpp"

namespace plait::preload {

using namespace plait::mpi;  // NOLINT(google-build-using-namespace): MPI's own names

/// A predefined handle; null while Open MPI's library is not loaded.
template <const auto& constant>
inline auto predefined() {
  using Handle = typename std::remove_cvref_t<decltype(constant)>::Type;
#if defined(PLAIT_FAMILY_OPENMPI)
  // Kept once it is found: asking the loader costs more than a call.
  static Handle kept;
  Handle handle = __atomic_load_n(&kept, __ATOMIC_RELAXED);
  if (__builtin_expect(handle == nullptr, 0)) {
    handle = static_cast<Handle>(find_data(constant.symbol));
    __atomic_store_n(&kept, handle, __ATOMIC_RELAXED);
  }
  return handle;
#else
  return as<Handle>(constant.value);
#endif
}

inline MPI_Comm world_comm() {
  return predefined<kCommWorld>();
}
inline MPI_Comm self_comm() {
  return predefined<kCommSelf>();
}
inline MPI_Comm no_comm() {
  return predefined<kCommNull>();
}
inline MPI_Win no_win() {
  return predefined<kWinNull>();
}
inline MPI_File no_file() {
  return predefined<kFileNull>();
}
inline MPI_Request no_request() {
  return predefined<kRequestNull>();
}
inline MPI_Datatype byte_type() {
  return predefined<kByte>();
}
inline MPI_Datatype no_type() {
  return predefined<kDatatypeNull>();
}

// Can the handle be valid? MPI is not asked, because it would call the program's error handler for
// one that is not. A handle that was freed may pass.
#if defined(PLAIT_FAMILY_MPICH)
// Bits 26 to 29 say what a handle is of; those above are 0 in null handles.
inline bool may_be_comm(Word handle) {
  return (handle >> 26 & 0xf) == 1 && handle >> 30 != 0;
}
inline bool may_be_group(Word handle) {
  return (handle >> 26 & 0xf) == 2 && handle >> 30 != 0;
}
inline bool may_be_type(Word handle) {
  return (handle >> 26 & 0xf) == 3 && handle >> 30 != 0;
}
inline bool may_be_win(Word handle) {
  return (handle >> 26 & 0xf) == 8 && handle >> 30 != 0;
}
#else
inline bool may_be_comm(Word handle) {
  return handle && handle != word_of(no_comm());
}
inline bool may_be_group(Word handle) {
  return handle && handle != word_of(predefined<kGroupNull>());
}
inline bool may_be_type(Word handle) {
  return handle && handle != word_of(no_type());
}
inline bool may_be_win(Word handle) {
  return handle && handle != word_of(no_win());
}
#endif

#if defined(PLAIT_FAMILY_OPENMPI)
inline constexpr plait_abi kFamilyAbi = PLAIT_ABI_OPENMPI;
inline uint64_t status_bytes(const MPI_Status& status) {
  return status.bytes;
}
#elif defined(PLAIT_FAMILY_MPICH)
inline constexpr plait_abi kFamilyAbi = PLAIT_ABI_MPICH;
inline uint64_t status_bytes(const MPI_Status& status) {
  const auto high = static_cast<unsigned>(status.count_high_and_cancelled) >> 1;
  return static_cast<uint64_t>(high) << 32 | static_cast<unsigned>(status.count_low);
}
#else
inline constexpr plait_abi kFamilyAbi = PLAIT_ABI_STANDARD;
uint64_t status_bytes(const MPI_Status& status);  ///< asks the library
#endif

}  // namespace plait::preload
