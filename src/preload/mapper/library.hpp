// SPDX-License-Identifier: BSD-3-Clause
// The functions of the MPI library that the mapper calls, and what is predefined in it.
#pragma once

#include "preload/profile/abi.hpp"

namespace plait::preload::mapper {

/// The library's own functions: calls through them are seen by no tool, as the library's inner
/// ones.
struct Library {
#define PLAIT_LIBRARY(name) decltype(&MPI_##name) name
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

/// The library of this process; null when there is none, it lacks one of these functions, or it is
/// of another ABI than this object.
const Library* library();

/// Is MPI_COMM_WORLD there: MPI initialised and not yet finalised?
bool is_world_running(const Library& mpi);

/// Can communicators be used: of the world, or of a session?
bool is_running(const Library& mpi);

/// A session was begun (1) or ended (-1).
void count_session(int change);

/// Is this what callers pass for "no weights"?
bool is_unweighted(const int* weights);

/// What stands for weights where there are no neighbours.
int* empty_weights();

/// True on all ranks when `flag` is on all of them. Collective over `comm`. All ranks get the same
/// answer also when one call of one rank fails.
bool all_agree(const Library& mpi, MPI_Comm comm, bool flag);

/// MPI_INFO_NULL.
MPI_Info no_info();

/// While it lives, errors of calls on a communicator, and on those made of it, come back as codes:
/// the program's error handler is not called for calls that the program did not make.
class ErrorsAsCodes {
public:
  ErrorsAsCodes(const Library& mpi, MPI_Comm comm);
  ~ErrorsAsCodes();
  ErrorsAsCodes(const ErrorsAsCodes&) = delete;
  ErrorsAsCodes& operator=(const ErrorsAsCodes&) = delete;

  /// Gives a communicator the error handler that the first one had.
  void give_back_to(MPI_Comm comm) const;

private:
  const Library& mpi_;
  MPI_Comm comm_;
  MPI_Errhandler own_{};
  bool changed_ = false;
};

}  // namespace plait::preload::mapper
