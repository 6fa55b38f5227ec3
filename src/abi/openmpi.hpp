// SPDX-License-Identifier: BSD-3-Clause
// The binary interface of Open MPI (libmpi.so.40): the part that Plait uses.
//
// Handles are pointers. A predefined handle is the address of a datum in the library.
#pragma once

#include <stddef.h>
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
using MPI_Offset = long long;
using MPI_Count = long long;

struct MPI_Status {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
  int cancelled;
  size_t bytes;
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
constexpr int MPI_ERR_RMA_CONFLICT = 46;
constexpr int MPI_ERR_RMA_SYNC = 47;
constexpr int MPI_ERR_SIZE = 49;
constexpr int MPI_ERR_WIN = 53;
constexpr int MPI_ERR_TRUNCATE = 15;
constexpr int MPI_ERR_IN_STATUS = 18;
constexpr int MPI_ERR_PENDING = 19;
constexpr int MPI_ERR_UNSUPPORTED_OPERATION = 52;

constexpr int MPI_ANY_SOURCE = -1;
constexpr int MPI_ANY_TAG = -1;
constexpr int MPI_PROC_NULL = -2;
constexpr int MPI_ROOT = -4;
constexpr int MPI_UNDEFINED = -32766;

constexpr int MPI_CART = 1;
constexpr int MPI_GRAPH = 2;
constexpr int MPI_DIST_GRAPH = 3;
constexpr int MPI_COMM_TYPE_SHARED = 0;
constexpr int MPI_LOCK_EXCLUSIVE = 1;
constexpr int MPI_MODE_NOCHECK = 1;

constexpr int MPI_COMBINER_NAMED = 0;
constexpr int MPI_COMBINER_STRUCT = 11;
constexpr int MPI_COMBINER_F90_REAL = 14;
constexpr int MPI_COMBINER_F90_COMPLEX = 15;
constexpr int MPI_COMBINER_F90_INTEGER = 16;

constexpr int MPI_THREAD_FUNNELED = 1;
constexpr int MPI_THREAD_SERIALIZED = 2;
constexpr int MPI_THREAD_MULTIPLE = 3;

constexpr int MPI_MAX_OBJECT_NAME = 64;
constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 256;

constexpr Address MPI_IN_PLACE{1};
constexpr Address MPI_STATUS_IGNORE{0};
constexpr Address MPI_STATUSES_IGNORE{0};
constexpr Address MPI_UNWEIGHTED{2};
constexpr Address MPI_WEIGHTS_EMPTY{3};

template <class Handle>
using Predefined = NamedHandle<Handle>;

inline constexpr Predefined<MPI_Comm> kCommWorld{"ompi_mpi_comm_world"};
inline constexpr Predefined<MPI_Comm> kCommSelf{"ompi_mpi_comm_self"};
inline constexpr Predefined<MPI_Comm> kCommNull{"ompi_mpi_comm_null"};
inline constexpr Predefined<MPI_Group> kGroupNull{"ompi_mpi_group_null"};
inline constexpr Predefined<MPI_Win> kWinNull{"ompi_mpi_win_null"};
inline constexpr Predefined<MPI_File> kFileNull{"ompi_mpi_file_null"};
inline constexpr Predefined<MPI_Request> kRequestNull{"ompi_request_null"};
inline constexpr Predefined<MPI_Info> kInfoNull{"ompi_mpi_info_null"};
inline constexpr Predefined<MPI_Errhandler> kErrorsReturn{"ompi_mpi_errors_return"};
inline constexpr Predefined<MPI_Datatype> kDatatypeNull{"ompi_mpi_datatype_null"};
inline constexpr Predefined<MPI_Datatype> kByte{"ompi_mpi_byte"};
inline constexpr Predefined<MPI_Datatype> kDouble{"ompi_mpi_double"};
inline constexpr Predefined<MPI_Op> kMax{"ompi_mpi_op_max"};
inline constexpr Predefined<MPI_Op> kMin{"ompi_mpi_op_min"};
inline constexpr Predefined<MPI_Op> kSum{"ompi_mpi_op_sum"};
inline constexpr Predefined<MPI_Op> kProd{"ompi_mpi_op_prod"};
inline constexpr Predefined<MPI_Op> kLand{"ompi_mpi_op_land"};
inline constexpr Predefined<MPI_Op> kBand{"ompi_mpi_op_band"};
inline constexpr Predefined<MPI_Op> kLor{"ompi_mpi_op_lor"};
inline constexpr Predefined<MPI_Op> kBor{"ompi_mpi_op_bor"};
inline constexpr Predefined<MPI_Op> kLxor{"ompi_mpi_op_lxor"};
inline constexpr Predefined<MPI_Op> kBxor{"ompi_mpi_op_bxor"};
inline constexpr Predefined<MPI_Op> kMaxloc{"ompi_mpi_op_maxloc"};
inline constexpr Predefined<MPI_Op> kMinloc{"ompi_mpi_op_minloc"};
inline constexpr Predefined<MPI_Op> kReplace{"ompi_mpi_op_replace"};
inline constexpr Predefined<MPI_Op> kNoOp{"ompi_mpi_op_no_op"};

}  // namespace plait::mpi
