// SPDX-License-Identifier: BSD-3-Clause
// Declares MPI for one of its binary interfaces, without an MPI header: types, constants and the
// types of functions.
//
// A target gets the interface by linking plait_abi_<kind>. MPI's own names are used, in a namespace
// of ours; do not include mpi.h as well.
#pragma once

#if defined(PLAIT_FAMILY_OPENMPI)
#include "abi/openmpi.hpp"
#elif defined(PLAIT_FAMILY_MPICH)
#include "abi/mpich.hpp"
#elif defined(PLAIT_FAMILY_ABI)
#include "abi/standard.hpp"
#else
#error "link plait_abi_openmpi, plait_abi_mpich or plait_abi_abi"
#endif

namespace plait::mpi {

/// The handles of the predefined reductions, in the order of enum plait_operation
/// (trace/event_format.h).
inline constexpr Predefined<MPI_Op> kOperations[] = {kMax,    kMin,    kSum,     kProd, kLand,
                                                     kBand,   kLor,    kBor,     kLxor, kBxor,
                                                     kMaxloc, kMinloc, kReplace, kNoOp};
constexpr unsigned kOperationCount = sizeof kOperations / sizeof *kOperations;

/// The classes of errors that say that an argument of the call is wrong.
inline constexpr int kArgumentErrors[] = {
    MPI_ERR_BUFFER,   MPI_ERR_COUNT,   MPI_ERR_TYPE,     MPI_ERR_TAG,      MPI_ERR_COMM,
    MPI_ERR_RANK,     MPI_ERR_REQUEST, MPI_ERR_ROOT,     MPI_ERR_GROUP,    MPI_ERR_OP,
    MPI_ERR_TOPOLOGY, MPI_ERR_DIMS,    MPI_ERR_ARG,      MPI_ERR_AMODE,    MPI_ERR_ASSERT,
    MPI_ERR_BASE,     MPI_ERR_DISP,    MPI_ERR_FILE,     MPI_ERR_INFO_KEY, MPI_ERR_INFO_VALUE,
    MPI_ERR_INFO,     MPI_ERR_KEYVAL,  MPI_ERR_LOCKTYPE, MPI_ERR_NOT_SAME, MPI_ERR_RMA_CONFLICT,
    MPI_ERR_RMA_SYNC, MPI_ERR_SIZE,    MPI_ERR_WIN};

/// The types of the functions in the tables: function::Send is that of MPI_Send. Callbacks and
/// arrays of triples are declared as plain pointers.
namespace function {
#define PLAIT_MPI_FUNCTION(name, ...) using name = __VA_ARGS__;
#include "mpi_functions.inc"
#undef PLAIT_MPI_FUNCTION
}  // namespace function

}  // namespace plait::mpi
