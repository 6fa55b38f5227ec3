// SPDX-License-Identifier: BSD-3-Clause
// Calls that complete requests: which ones, and with which source and tag.
//
// The handles are read before the call, which may overwrite them. Arguments that MPI refuses may be
// null. While there are receives whose
// source is only known from a status, statuses are requested even if the program ignores them.
#pragma once

#include "preload/trace/calls.hpp"
#include "preload/trace/request_table.hpp"

namespace plait::preload::trace {

/// The source in our own status before the call: MPICH 4.0 does not set that of MPI_Isendrecv.
constexpr int kUnset = -0x7fffffff;

/// Before the call. Returns the status, or the statuses, to call with.
inline MPI_Status* expect_one(Call& call, const MPI_Request* request, MPI_Status* status) {
  call.handle = handle_at(request);
  if (__atomic_load_n(&statuses_wanted, __ATOMIC_RELAXED) <= 0 || status != MPI_STATUS_IGNORE)
    return status;
  call.status.MPI_SOURCE = kUnset;
  return &call.status;
}
MPI_Status* expect_any(Call& call, int count, const MPI_Request* requests, MPI_Status* status);
MPI_Status* expect_many(int count, const MPI_Request* requests, MPI_Status* statuses);

/// After the call, which returned `code`.
void completed_one(const Call& call, How how, int code, const MPI_Request* request, const int* flag,
                   const MPI_Status* status);
void completed_any(const Call& call, How how, int code, int count, const MPI_Request* requests,
                   const int* index, const int* flag, const MPI_Status* status);
void completed_all(const Call& call, How how, int code, int count, const MPI_Request* requests,
                   const int* flag, const MPI_Status* statuses);
void completed_some(const Call& call, How how, int code, int count, const MPI_Request* requests,
                    const int* done, const int* indices, const MPI_Status* statuses);

void freed(const Call& call, How how, int code);
void cancelled(const Call& call, How how, const MPI_Request* request);

}  // namespace plait::preload::trace
