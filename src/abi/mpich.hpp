// SPDX-License-Identifier: BSD-3-Clause
// The binary interface of MPICH and compatible libraries (libmpi.so.12): the part that Plait uses.
//
// Handles are integers, except those of files. The constants for weights are data of the library.
#pragma once

#include <stdint.h>

#include "abi/values.hpp"

namespace plait::mpi {

struct File;

using MPI_Comm = int;
using MPI_Datatype = int;
using MPI_Errhandler = int;
using MPI_File = File*;
using MPI_Group = int;
using MPI_Info = int;
using MPI_Message = int;
using MPI_Op = int;
using MPI_Request = int;
using MPI_Session = int;
using MPI_Win = int;

using MPI_Aint = intptr_t;
using MPI_Offset = long long;
using MPI_Count = long long;

struct MPI_Status {
  int count_low;
  int count_high_and_cancelled;  ///< the lowest bit: cancelled
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
};

constexpr int MPI_SUCCESS = 0;
constexpr int MPI_ERR_BUFFER = 1;
constexpr int MPI_ERR_COUNT = 2;
constexpr int MPI_ERR_TYPE = 3;
constexpr int MPI_ERR_TAG = 4;
constexpr int MPI_ERR_COMM = 5;
constexpr int MPI_ERR_RANK = 6;
constexpr int MPI_ERR_ROOT = 7;
constexpr int MPI_ERR_GROUP = 8;
constexpr int MPI_ERR_OP = 9;
constexpr int MPI_ERR_TOPOLOGY = 10;
constexpr int MPI_ERR_DIMS = 11;
constexpr int MPI_ERR_ARG = 12;
constexpr int MPI_ERR_REQUEST = 19;
constexpr int MPI_ERR_AMODE = 21;
constexpr int MPI_ERR_FILE = 27;
constexpr int MPI_ERR_INFO = 28;
constexpr int MPI_ERR_INFO_KEY = 29;
constexpr int MPI_ERR_INFO_VALUE = 30;
constexpr int MPI_ERR_NOT_SAME = 35;
constexpr int MPI_ERR_WIN = 45;
constexpr int MPI_ERR_BASE = 46;
constexpr int MPI_ERR_LOCKTYPE = 47;
constexpr int MPI_ERR_KEYVAL = 48;
constexpr int MPI_ERR_RMA_CONFLICT = 49;
constexpr int MPI_ERR_RMA_SYNC = 50;
constexpr int MPI_ERR_SIZE = 51;
constexpr int MPI_ERR_DISP = 52;
constexpr int MPI_ERR_ASSERT = 53;
constexpr int MPI_ERR_TRUNCATE = 14;
constexpr int MPI_ERR_IN_STATUS = 17;
constexpr int MPI_ERR_PENDING = 18;
constexpr int MPI_ERR_UNSUPPORTED_OPERATION = 44;

constexpr int MPI_ANY_SOURCE = -2;
constexpr int MPI_ANY_TAG = -1;
constexpr int MPI_PROC_NULL = -1;
constexpr int MPI_ROOT = -3;
constexpr int MPI_UNDEFINED = -32766;

constexpr int MPI_GRAPH = 1;
constexpr int MPI_CART = 2;
constexpr int MPI_DIST_GRAPH = 3;
constexpr int MPI_COMM_TYPE_SHARED = 1;
constexpr int MPI_LOCK_EXCLUSIVE = 234;
constexpr int MPI_MODE_NOCHECK = 1024;

constexpr int MPI_COMBINER_NAMED = 1;
constexpr int MPI_COMBINER_STRUCT = 12;
constexpr int MPI_COMBINER_F90_REAL = 15;
constexpr int MPI_COMBINER_F90_COMPLEX = 16;
constexpr int MPI_COMBINER_F90_INTEGER = 17;

constexpr int MPI_THREAD_FUNNELED = 1;
constexpr int MPI_THREAD_SERIALIZED = 2;
constexpr int MPI_THREAD_MULTIPLE = 3;

constexpr int MPI_MAX_OBJECT_NAME = 128;
constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 8192;

constexpr Address MPI_IN_PLACE{UINTPTR_MAX};
constexpr Address MPI_STATUS_IGNORE{1};
constexpr Address MPI_STATUSES_IGNORE{1};
/// Data of type int* in the library, whose values are the constants.
inline constexpr const char* kUnweightedSymbol = "MPI_UNWEIGHTED";
inline constexpr const char* kWeightsEmptySymbol = "MPI_WEIGHTS_EMPTY";

template <class Handle>
using Predefined = NumberedHandle<Handle>;

inline constexpr Predefined<MPI_Comm> kCommWorld{0x44000000};
inline constexpr Predefined<MPI_Comm> kCommSelf{0x44000001};
inline constexpr Predefined<MPI_Comm> kCommNull{0x04000000};
inline constexpr Predefined<MPI_Group> kGroupNull{0x08000000};
inline constexpr Predefined<MPI_Win> kWinNull{0x20000000};
inline constexpr Predefined<MPI_File> kFileNull{0};
inline constexpr Predefined<MPI_Request> kRequestNull{0x2c000000};
inline constexpr Predefined<MPI_Info> kInfoNull{0x1c000000};
inline constexpr Predefined<MPI_Errhandler> kErrorsReturn{0x54000001};
inline constexpr Predefined<MPI_Datatype> kDatatypeNull{0x0c000000};
inline constexpr Predefined<MPI_Datatype> kByte{0x4c00010d};
inline constexpr Predefined<MPI_Datatype> kDouble{0x4c00080b};
inline constexpr Predefined<MPI_Op> kMax{0x58000001};
inline constexpr Predefined<MPI_Op> kMin{0x58000002};
inline constexpr Predefined<MPI_Op> kSum{0x58000003};
inline constexpr Predefined<MPI_Op> kProd{0x58000004};
inline constexpr Predefined<MPI_Op> kLand{0x58000005};
inline constexpr Predefined<MPI_Op> kBand{0x58000006};
inline constexpr Predefined<MPI_Op> kLor{0x58000007};
inline constexpr Predefined<MPI_Op> kBor{0x58000008};
inline constexpr Predefined<MPI_Op> kLxor{0x58000009};
inline constexpr Predefined<MPI_Op> kBxor{0x5800000a};
inline constexpr Predefined<MPI_Op> kMinloc{0x5800000b};
inline constexpr Predefined<MPI_Op> kMaxloc{0x5800000c};
inline constexpr Predefined<MPI_Op> kReplace{0x5800000d};
inline constexpr Predefined<MPI_Op> kNoOp{0x5800000e};

}  // namespace plait::mpi
