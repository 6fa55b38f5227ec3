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

/// Is MPI initialised and not yet finalised?
bool is_running(const Library& mpi);

/// Is this what callers pass for "no weights"?
bool is_unweighted(const int* weights);

/// What stands for weights where there are no neighbours.
int* empty_weights();

/// True on all ranks when `flag` is on all of them. Collective over `comm`.
bool all_agree(const Library& mpi, MPI_Comm comm, bool flag);

/// MPI_INFO_NULL.
MPI_Info no_info();

}  // namespace plait::preload::mapper
