// SPDX-License-Identifier: BSD-3-Clause
// The events of MPI calls, which the generated wrappers report when a trace is kept.
//
// Each function is called once per call: after the call, and after the see_ function of its kind
// (calls/traffic.hpp), whose bytes and communicator it uses.
#pragma once

#include <stdint.h>

#include "preload/calls/call.hpp"
#include "preload/calls/communicators.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload::trace {

enum Starts : uint32_t {
  kBlocking,
  kRequest,       ///< the call returns a request
  kPreparesOnly,  ///< it returns a persistent request
};

/// Properties that follow from the function's name.
struct How {
  Starts starts;
  uint32_t flags;  ///< plait_shape_flag
};

/// A call that failed, or that moves no data that a trace records.
void other(const Call& call);

void send(const Call& call, How how, MPI_Datatype type, int dest, int tag,
          const MPI_Request* request);
void receive(const Call& call, How how, MPI_Datatype type, int source, int tag,
             const MPI_Status* status);
void ireceive(const Call& call, How how, MPI_Datatype type, int source, int tag,
              const MPI_Request* request);
void sendrecv(const Call& call, How how, MPI_Datatype sendtype, int dest, int sendtag,
              MPI_Datatype recvtype, int source, int recvtag, const MPI_Status* status);
void isendrecv(const Call& call, How how, MPI_Datatype sendtype, int dest, int sendtag,
               MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
               const MPI_Request* request);

/// `flag`: null in blocking calls; `message`: null except in MPI_Mprobe and MPI_Improbe.
void probe(const Call& call, How how, int source, int tag, const int* flag,
           const MPI_Message* message, const MPI_Status* status);
/// Call::handle is the message's handle before the call, which overwrites it.
void mreceive(const Call& call, How how);
void imreceive(const Call& call, How how, const MPI_Request* request);

void start(const Call& call, How how, int count, const MPI_Request* requests);

/// `root`: MPI's, or kNoRoot. `received`: bytes that the process receives; `varies`: from call to
/// call. `operation`: the handle, 0: none.
constexpr int kNoRoot = -99;
void collective(const Call& call, How how, int root, uint64_t received, bool varies, Word operation,
                const MPI_Request* request);
/// A collective of which only the communicator is known (MPI_Comm_dup, MPI_Win_fence).
void collective_call(const Call& call, How how, const MPI_Request* request);

void one_sided(const Call& call, How how, int target);
/// MPI_Win_post and MPI_Win_start.
void epoch(const Call& call, How how, MPI_Group group);
/// MPI_Win_complete and MPI_Win_wait, which end them; calls that end or flush epochs with all
/// targets.
void end_epoch(const Call& call, How how);
void test_epoch(const Call& call, How how, const int* flag);
/// MPI_Win_unlock and MPI_Win_flush*.
void at_target(const Call& call, How how, int target);
void lock(const Call& call, How how, int target, int type, int assertion);
void lock_all(const Call& call, How how, int assertion);

}  // namespace plait::preload::trace
