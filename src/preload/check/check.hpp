// SPDX-License-Identifier: BSD-3-Clause
// Entry points of plait check: the wrappers pass the arguments of a call before and after it.
//
// Only under PLAIT_OPTIONS=check, outside the timed path. Observations go to the check file
// (trace/check_format.h); the plait command judges them.
#pragma once

#include <stdint.h>

#include "preload/calls/abi.hpp"
#include "preload/calls/functions.hpp"

namespace plait::preload {

struct Call;

/// The arguments of a call, by their names in the standard; missing ones are null or 0.
struct Arguments {
  bool large;         ///< a function of large counts: arrays of counts are of MPI_Count
  bool lacks_output;  ///< a handle or flag that the call needs is a null pointer
  const void *buf, *buffer, *sendbuf, *recvbuf;
  MPI_Count count, incount, sendcount, recvcount, partitions;
  int dest, source, tag, sendtag, recvtag, root;
  Word datatype, sendtype, recvtype, oldtype, op;
  Word comm, win;  ///< the first communicator, the window
  const void *sendcounts, *recvcounts;
  const MPI_Datatype *sendtypes, *recvtypes, *array_of_types;
  const void* array_of_blocklengths;
  MPI_Request *request, *array_of_requests;
  /// Replaced by check_before if the program ignores a status that the check needs.
  MPI_Status *status, *array_of_statuses;
  int *flag, *indx, *outcount, *array_of_indices;
  MPI_Message* message;
  const char* stringtag;
  // Handles that the call makes, or frees.
  MPI_Comm* made_comm;
  MPI_Datatype *made_type, *filetype;
  MPI_Group* made_group;
  MPI_Win* made_win;
  MPI_Op* made_op;
  MPI_File* made_file;
};

/// The arguments of the calling thread, all null. Fill them in, then call check_before.
Arguments& check_arguments(const Call& call);
void check_before(Call& call);
void check_after(Call& call, int code);

/// Called before a handle is freed, also when the MPI library or a callback of the program frees it
/// within another call.
void check_freed(FunctionId function, Word handle);

}  // namespace plait::preload
