// SPDX-License-Identifier: BSD-3-Clause
// The standard binary interface of MPI 5 (libmpi_abi.so): the part that Plait uses.
//
// Values are those of MPI 5.0, chapter 20 and annex A. Handles are pointers whose predefined values
// are small numbers.
#pragma once

#include <stdint.h>

#include "abi/values.hpp"

namespace plait::mpi {

struct Comm;
struct Datatype;
struct Errhandler;
struct File;
struct Group;
struct Info;
struct Message;
struct Op;
struct Request;
struct Session;
struct Win;

using MPI_Comm = Comm*;
using MPI_Datatype = Datatype*;
using MPI_Errhandler = Errhandler*;
using MPI_File = File*;
using MPI_Group = Group*;
using MPI_Info = Info*;
using MPI_Message = Message*;
using MPI_Op = Op*;
using MPI_Request = Request*;
using MPI_Session = Session*;
using MPI_Win = Win*;

using MPI_Aint = intptr_t;
using MPI_Offset = int64_t;
using MPI_Count = int64_t;

struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int internal[5];
};

constexpr int MPI_SUCCESS = 0;
constexpr int MPI_ERR_BUFFER = 1;
constexpr int MPI_ERR_COUNT = 2;
constexpr int MPI_ERR_TYPE = 3;
constexpr int MPI_ERR_TAG = 4;
constexpr int MPI_ERR_COMM = 5;
constexpr int MPI_ERR_RANK = 6;
constexpr int MPI_ERR_REQUEST = 7;
constexpr int MPI_ERR_ROOT = 8;
constexpr int MPI_ERR_GROUP = 9;
constexpr int MPI_ERR_OP = 10;
constexpr int MPI_ERR_TOPOLOGY = 11;
constexpr int MPI_ERR_DIMS = 12;
constexpr int MPI_ERR_ARG = 13;
constexpr int MPI_ERR_AMODE = 21;
constexpr int MPI_ERR_ASSERT = 22;
constexpr int MPI_ERR_BASE = 24;
constexpr int MPI_ERR_DISP = 26;
constexpr int MPI_ERR_FILE = 30;
constexpr int MPI_ERR_INFO_KEY = 31;
constexpr int MPI_ERR_INFO_VALUE = 33;
constexpr int MPI_ERR_INFO = 34;
constexpr int MPI_ERR_KEYVAL = 36;
constexpr int MPI_ERR_LOCKTYPE = 37;
constexpr int MPI_ERR_NOT_SAME = 40;
constexpr int MPI_ERR_RMA_CONFLICT = 47;
constexpr int MPI_ERR_RMA_SYNC = 50;
constexpr int MPI_ERR_SIZE = 52;
constexpr int MPI_ERR_WIN = 56;
constexpr int MPI_ERR_TRUNCATE = 15;
constexpr int MPI_ERR_PENDING = 18;
constexpr int MPI_ERR_IN_STATUS = 19;
constexpr int MPI_ERR_UNSUPPORTED_OPERATION = 55;

constexpr int MPI_ANY_SOURCE = -1;
constexpr int MPI_ANY_TAG = -2;
constexpr int MPI_PROC_NULL = -3;
constexpr int MPI_ROOT = -4;
constexpr int MPI_UNDEFINED = -32766;

constexpr int MPI_CART = 211;
constexpr int MPI_GRAPH = 212;
constexpr int MPI_DIST_GRAPH = 213;
constexpr int MPI_COMM_TYPE_SHARED = 221;
constexpr int MPI_LOCK_EXCLUSIVE = 301;
constexpr int MPI_MODE_NOCHECK = 1024;

constexpr int MPI_COMBINER_NAMED = 101;
constexpr int MPI_COMBINER_STRUCT = 110;
constexpr int MPI_COMBINER_F90_REAL = 113;
constexpr int MPI_COMBINER_F90_COMPLEX = 114;
constexpr int MPI_COMBINER_F90_INTEGER = 115;

constexpr int MPI_THREAD_FUNNELED = 1024;
constexpr int MPI_THREAD_SERIALIZED = 2048;
constexpr int MPI_THREAD_MULTIPLE = 4096;

constexpr int MPI_MAX_OBJECT_NAME = 128;
constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 8192;

constexpr Address MPI_IN_PLACE{1};
constexpr Address MPI_STATUS_IGNORE{0};
constexpr Address MPI_STATUSES_IGNORE{0};
constexpr Address MPI_UNWEIGHTED{10};
constexpr Address MPI_WEIGHTS_EMPTY{11};

template <class Handle>
using Predefined = NumberedHandle<Handle>;

inline constexpr Predefined<MPI_Comm> kCommWorld{0x101};
inline constexpr Predefined<MPI_Comm> kCommSelf{0x102};
inline constexpr Predefined<MPI_Comm> kCommNull{0x100};
inline constexpr Predefined<MPI_Group> kGroupNull{0x108};
inline constexpr Predefined<MPI_Win> kWinNull{0x110};
inline constexpr Predefined<MPI_File> kFileNull{0x118};
inline constexpr Predefined<MPI_Request> kRequestNull{0x180};
inline constexpr Predefined<MPI_Info> kInfoNull{0x130};
/// Headers older than October 2025, Intel MPI's among them, exchange this one and MPI_ERRORS_ABORT.
inline constexpr Predefined<MPI_Errhandler> kErrorsReturn{0x143};
inline constexpr Predefined<MPI_Datatype> kDatatypeNull{0x200};
inline constexpr Predefined<MPI_Datatype> kByte{0x247};
inline constexpr Predefined<MPI_Datatype> kDouble{0x214};
inline constexpr Predefined<MPI_Op> kSum{0x21};
inline constexpr Predefined<MPI_Op> kMin{0x22};
inline constexpr Predefined<MPI_Op> kMax{0x23};
inline constexpr Predefined<MPI_Op> kProd{0x24};
inline constexpr Predefined<MPI_Op> kBand{0x28};
inline constexpr Predefined<MPI_Op> kBor{0x29};
inline constexpr Predefined<MPI_Op> kBxor{0x2a};
inline constexpr Predefined<MPI_Op> kLand{0x30};
inline constexpr Predefined<MPI_Op> kLor{0x31};
inline constexpr Predefined<MPI_Op> kLxor{0x32};
inline constexpr Predefined<MPI_Op> kMinloc{0x38};
inline constexpr Predefined<MPI_Op> kMaxloc{0x39};
inline constexpr Predefined<MPI_Op> kReplace{0x3c};
inline constexpr Predefined<MPI_Op> kNoOp{0x3d};

}  // namespace plait::mpi
