// SPDX-License-Identifier: BSD-3-Clause
// The functions of the MPI library that the mapper calls, and what is predefined in it.
#include "preload/mapper/library.hpp"

#include <string>

#include "preload/mpi_library.hpp"

namespace plait::preload::mapper {
namespace {

template <class Function>
bool find(const char* name, Function& function) {
  function = reinterpret_cast<Function>(find_symbol(name));
  return function != nullptr;
}

bool find_all(Library& mpi) {
#define PLAIT_FIND(name) find("PMPI_" #name, mpi.name)
  return PLAIT_FIND(Initialized) && PLAIT_FIND(Finalized) && PLAIT_FIND(Comm_size) &&
         PLAIT_FIND(Comm_rank) && PLAIT_FIND(Comm_test_inter) && PLAIT_FIND(Comm_group) &&
         PLAIT_FIND(Group_translate_ranks) && PLAIT_FIND(Group_free) && PLAIT_FIND(Comm_split) &&
         PLAIT_FIND(Comm_split_type) && PLAIT_FIND(Comm_free) && PLAIT_FIND(Bcast) &&
         PLAIT_FIND(Allreduce) && PLAIT_FIND(Gather) && PLAIT_FIND(Gatherv) &&
         PLAIT_FIND(Scatter) && PLAIT_FIND(Scatterv) && PLAIT_FIND(Allgather) &&
         PLAIT_FIND(Cart_create) && PLAIT_FIND(Graph_create) &&
         PLAIT_FIND(Dist_graph_create_adjacent) && library_fits();
#undef PLAIT_FIND
}

MPI_Op bitwise_and() {
#if defined(PLAIT_FAMILY_OPENMPI)
  static MPI_Op kept;
  return predefined("ompi_mpi_op_band", &kept);
#else
  return MPI_BAND;
#endif
}

#if defined(PLAIT_FAMILY_MPICH)
/// MPICH's constant is data of the library: a pointer that is nobody's memory.
int* pointer_named(const char* name) {
  auto* const* datum = static_cast<int* const*>(find_data(name));
  return datum != nullptr ? *datum : nullptr;
}
#endif

}  // namespace

const Library* library() {
  static const Library* const found = [] {
    static Library mpi;
    return find_all(mpi) ? &mpi : nullptr;
  }();
  return found;
}

bool is_running(const Library& mpi) {
  int started = 0, ended = 0;
  mpi.Initialized(&started);
  mpi.Finalized(&ended);
  return started != 0 && ended == 0;
}

bool is_unweighted(const int* weights) {
#if defined(PLAIT_FAMILY_MPICH)
  static const int* const unweighted = pointer_named("MPI_UNWEIGHTED");
  return weights == unweighted;
#else
  return weights == MPI_UNWEIGHTED;
#endif
}

int* empty_weights() {
#if defined(PLAIT_FAMILY_MPICH)
  static int* const empty = pointer_named("MPI_WEIGHTS_EMPTY");
  return empty;
#else
  return MPI_WEIGHTS_EMPTY;
#endif
}

bool all_agree(const Library& mpi, MPI_Comm comm, bool flag) {
  const unsigned char mine = flag ? 1 : 0;
  unsigned char all = 0;
  const int code = mpi.Allreduce(&mine, &all, 1, byte_type(), bitwise_and(), comm);
  return code == MPI_SUCCESS && all != 0;
}

MPI_Info no_info() {
#if defined(PLAIT_FAMILY_OPENMPI)
  static MPI_Info kept;
  return predefined("ompi_mpi_info_null", &kept);
#else
  return MPI_INFO_NULL;
#endif
}

}  // namespace plait::preload::mapper
