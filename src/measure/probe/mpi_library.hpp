// SPDX-License-Identifier: BSD-3-Clause
// The few functions and handles of MPI that the probe needs, taken from a library opened at run
// time: the probe is linked to no MPI, so one binary serves every library of its ABI.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#if defined(PLAIT_STANDARD_ABI)
#include <mpi_abi.h>
#else
#include <mpi.h>
#endif

#include <string>
#include <vector>

namespace plait::measure {

/// MPI as the probe sees it. Members are named as MPI's functions without "MPI_".
struct MpiLibrary {
  decltype(&MPI_Init) init = nullptr;
  decltype(&MPI_Init_thread) init_thread = nullptr;
  decltype(&MPI_Finalize) finalize = nullptr;
  decltype(&MPI_Comm_rank) comm_rank = nullptr;
  decltype(&MPI_Comm_size) comm_size = nullptr;
  decltype(&MPI_Comm_split) comm_split = nullptr;
  decltype(&MPI_Comm_free) comm_free = nullptr;
  decltype(&MPI_Send) send = nullptr;
  decltype(&MPI_Recv) recv = nullptr;
  decltype(&MPI_Isend) isend = nullptr;
  decltype(&MPI_Irecv) irecv = nullptr;
  decltype(&MPI_Wait) wait = nullptr;
  decltype(&MPI_Waitall) waitall = nullptr;
  decltype(&MPI_Test) test = nullptr;
  decltype(&MPI_Barrier) barrier = nullptr;
  decltype(&MPI_Ibarrier) ibarrier = nullptr;
  decltype(&MPI_Bcast) bcast = nullptr;
  decltype(&MPI_Reduce) reduce = nullptr;
  decltype(&MPI_Allreduce) allreduce = nullptr;
  decltype(&MPI_Allgather) allgather = nullptr;
  decltype(&MPI_Alltoall) alltoall = nullptr;
  decltype(&MPI_Get_library_version) get_library_version = nullptr;
  MPI_Comm world{};
  MPI_Datatype byte{};
  MPI_Datatype real{};
  MPI_Op max{};
  MPI_Op sum{};
  MPI_Status* no_status = nullptr;
  MPI_Status* no_statuses = nullptr;

  /// Opens the first library that can be opened, for all of the process (MPI libraries load parts
  /// that need their symbols).
  /// @throws Error when none can, or one lacks a function.
  static MpiLibrary open(const std::vector<std::string>& candidates);
};

}  // namespace plait::measure
