// SPDX-License-Identifier: BSD-3-Clause
// The functions and predefined objects of the MPI library that the mapper uses.
#pragma once

#include "preload/calls/abi.hpp"

namespace plait::preload::mapper {

/// The library's own functions: no tool sees these calls.
struct Library {
#define PLAIT_LIBRARY(name) function::name* name
  PLAIT_LIBRARY(Initialized);
  PLAIT_LIBRARY(Finalized);
  PLAIT_LIBRARY(Comm_size);
  PLAIT_LIBRARY(Comm_rank);
  PLAIT_LIBRARY(Comm_test_inter);
  PLAIT_LIBRARY(Comm_group);
  PLAIT_LIBRARY(Group_translate_ranks);
  PLAIT_LIBRARY(Group_free);
  PLAIT_LIBRARY(Comm_split);
  PLAIT_LIBRARY(Comm_split_type);
  PLAIT_LIBRARY(Comm_free);
  PLAIT_LIBRARY(Comm_get_errhandler);
  PLAIT_LIBRARY(Comm_set_errhandler);
  PLAIT_LIBRARY(Errhandler_free);
  PLAIT_LIBRARY(Bcast);
  PLAIT_LIBRARY(Allreduce);
  PLAIT_LIBRARY(Gather);
  PLAIT_LIBRARY(Gatherv);
  PLAIT_LIBRARY(Scatter);
  PLAIT_LIBRARY(Scatterv);
  PLAIT_LIBRARY(Allgather);
  PLAIT_LIBRARY(Cart_create);
  PLAIT_LIBRARY(Graph_create);
  PLAIT_LIBRARY(Dist_graph_create_adjacent);
#undef PLAIT_LIBRARY
};

/// The library of this process; null if there is none, one of these functions is missing, or it has
/// another ABI than this object.
const Library* library();

/// True if MPI_COMM_WORLD exists: MPI is initialized and not yet finalized.
bool is_world_running(const Library& mpi);

/// True if communicators of the world or of a session can be used.
bool is_running(const Library& mpi);

/// A session has begun (1) or ended (-1).
void count_session(int change);

/// Does this mean "no weights"?
bool is_unweighted(const int* weights);

/// The weights to pass if there are no neighbours.
int* empty_weights();

/// True if `flag` is true on all ranks. Collective over `comm`. All ranks get the same answer even
/// if one call of one rank fails.
bool all_agree(const Library& mpi, MPI_Comm comm, bool flag);

/// MPI_INFO_NULL.
MPI_Info no_info();

/// During its lifetime, errors of calls on a communicator, and on those derived from it, are
/// returned as codes: the program's error handler must not see calls that the program did not make.
class ErrorsAsCodes {
public:
  ErrorsAsCodes(const Library& mpi, MPI_Comm comm);
  ~ErrorsAsCodes();
  ErrorsAsCodes(const ErrorsAsCodes&) = delete;
  ErrorsAsCodes& operator=(const ErrorsAsCodes&) = delete;

  /// Gives a communicator the original error handler of the first one.
  void give_back_to(MPI_Comm comm) const;

private:
  const Library& mpi_;
  MPI_Comm comm_;
  MPI_Errhandler own_{};
  bool changed_ = false;
};

}  // namespace plait::preload::mapper
