// SPDX-License-Identifier: BSD-3-Clause
// The functions and handles of MPI that the probe needs, from a library opened at run time. The
// probe is not linked to MPI, so one binary works with every library of its ABI.
#pragma once

#include <string>
#include <vector>

#include "abi/mpi.hpp"

namespace plait::measure {

using namespace plait::mpi;  // NOLINT(google-build-using-namespace): MPI's own names

/// MPI as the probe sees it. Members are named as MPI's functions without "MPI_".
struct MpiLibrary {
  function::Init* init = nullptr;
  function::Init_thread* init_thread = nullptr;
  function::Finalize* finalize = nullptr;
  function::Comm_rank* comm_rank = nullptr;
  function::Comm_size* comm_size = nullptr;
  function::Comm_split* comm_split = nullptr;
  function::Comm_free* comm_free = nullptr;
  function::Send* send = nullptr;
  function::Recv* recv = nullptr;
  function::Isend* isend = nullptr;
  function::Irecv* irecv = nullptr;
  function::Wait* wait = nullptr;
  function::Waitall* waitall = nullptr;
  function::Test* test = nullptr;
  function::Barrier* barrier = nullptr;
  function::Ibarrier* ibarrier = nullptr;
  function::Bcast* bcast = nullptr;
  function::Reduce* reduce = nullptr;
  function::Allreduce* allreduce = nullptr;
  function::Allgather* allgather = nullptr;
  function::Alltoall* alltoall = nullptr;
  int (*get_library_version)(char* version, int* length) = nullptr;
  MPI_Comm world{};
  MPI_Datatype byte{};
  MPI_Datatype real{};
  MPI_Op max{};
  MPI_Op sum{};
  MPI_Status* no_status = nullptr;
  MPI_Status* no_statuses = nullptr;

  /// Opens the first candidate that can be opened. Its symbols become global, because MPI libraries
  /// load plug-ins that need them.
  /// @throws Error when none can be opened or a function is missing.
  static MpiLibrary open(const std::vector<std::string>& candidates);
};

}  // namespace plait::measure
