// SPDX-License-Identifier: BSD-3-Clause
// Entry points of plait check: what the wrappers hand over of a call, before and after it.
//
// Only under PLAIT_OPTIONS=check, away from the path that is timed. What is seen goes to the check
// file (check/check_format.h); plait judges it.
#pragma once

#include <stdint.h>

#include "preload/hooks.hpp"
#include "preload/profile/abi.hpp"
#include "preload/profile/functions.hpp"

namespace plait::preload {

struct Call;

/// The arguments of a call, by their names in the standard; those that it lacks are null or 0.
struct Arguments {
  bool large;  ///< a function of large counts: arrays of counts are of MPI_Count
  const void *buf, *buffer, *sendbuf, *recvbuf;
  MPI_Count count, incount, sendcount, recvcount, partitions;
  int dest, source, tag, sendtag, recvtag, root;
  Word datatype, sendtype, recvtype, op;
  Word comm, win;  ///< the first communicator, the window
  const void *sendcounts, *recvcounts;
  const MPI_Datatype *sendtypes, *recvtypes;
  MPI_Request *request, *array_of_requests;
  /// Not to be ignored by the library where the outcome depends on them: check_before may put its
  /// own in the caller's place.
  MPI_Status *status, *array_of_statuses;
  int *flag, *indx, *outcount, *array_of_indices;
  MPI_Message* message;
  // Handles that the call makes, or frees.
  MPI_Comm* made_comm;
  MPI_Datatype* made_type;
  MPI_Group* made_group;
  MPI_Win* made_win;
  MPI_Op* made_op;
  MPI_File* made_file;
};

/// Makes the check file. False: there is no room, nothing is checked (said once).
PLAIT_HOOK bool check_open();

/// The calling thread's, all null; to be filled in before check_before.
PLAIT_HOOK Arguments& check_arguments(const Call& call);
PLAIT_HOOK void check_before(Call& call);
PLAIT_HOOK void check_after(Call& call, int code);

/// A handle is about to be freed, also when the MPI library or a callback of the program's does so
/// within another call.
PLAIT_HOOK void check_freed(FunctionId function, Word handle);

}  // namespace plait::preload
