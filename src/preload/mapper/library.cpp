// SPDX-License-Identifier: BSD-3-Clause
// The functions and predefined objects of the MPI library that the mapper uses.
#include "preload/mapper/library.hpp"

#include <atomic>
#include <string>

#include "preload/mpi_library.hpp"

namespace plait::preload {

const plait_abi kAbi = kFamilyAbi;

namespace mapper {
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
         PLAIT_FIND(Comm_split_type) && PLAIT_FIND(Comm_free) && PLAIT_FIND(Comm_get_errhandler) &&
         PLAIT_FIND(Comm_set_errhandler) && PLAIT_FIND(Errhandler_free) && PLAIT_FIND(Bcast) &&
         PLAIT_FIND(Allreduce) && PLAIT_FIND(Gather) && PLAIT_FIND(Gatherv) &&
         PLAIT_FIND(Scatter) && PLAIT_FIND(Scatterv) && PLAIT_FIND(Allgather) &&
         PLAIT_FIND(Cart_create) && PLAIT_FIND(Graph_create) &&
         PLAIT_FIND(Dist_graph_create_adjacent) && library_fits();
#undef PLAIT_FIND
}

// Sessions that have begun and not ended.
std::atomic<int> open_sessions{0};

#if defined(PLAIT_FAMILY_MPICH)
/// MPICH's constant is data of the library: a pointer that points to no memory.
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

bool is_world_running(const Library& mpi) {
  int started = 0, ended = 0;
  mpi.Initialized(&started);
  mpi.Finalized(&ended);
  return started != 0 && ended == 0;
}

bool is_running(const Library& mpi) {
  return open_sessions.load() > 0 || is_world_running(mpi);
}

void count_session(int change) {
  open_sessions.fetch_add(change);
}

bool is_unweighted(const int* weights) {
#if defined(PLAIT_FAMILY_MPICH)
  static const int* const unweighted = pointer_named(kUnweightedSymbol);
  return weights == unweighted;
#else
  return weights == MPI_UNWEIGHTED;
#endif
}

int* empty_weights() {
#if defined(PLAIT_FAMILY_MPICH)
  static int* const empty = pointer_named(kWeightsEmptySymbol);
  return empty;
#else
  return MPI_WEIGHTS_EMPTY;
#endif
}

bool all_agree(const Library& mpi, MPI_Comm comm, bool flag) {
  // A rank whose first round fails reports that in the second round. A rank whose second round
  // fails has the answer from the first one.
  bool agreed = flag;
  for (int round = 0; round < 2; ++round) {
    const unsigned char mine = agreed ? 1 : 0;
    unsigned char all = 0;
    if (mpi.Allreduce(&mine, &all, 1, byte_type(), predefined<kBand>(), comm) == MPI_SUCCESS)
      agreed = all != 0;
    else if (round == 0)
      agreed = false;
  }
  return agreed;
}

MPI_Info no_info() {
  return predefined<kInfoNull>();
}

ErrorsAsCodes::ErrorsAsCodes(const Library& mpi, MPI_Comm comm) : mpi_(mpi), comm_(comm) {
  if (mpi_.Comm_get_errhandler(comm_, &own_) != MPI_SUCCESS) return;
  changed_ = mpi_.Comm_set_errhandler(comm_, predefined<kErrorsReturn>()) == MPI_SUCCESS;
  if (!changed_) mpi_.Errhandler_free(&own_);
}

ErrorsAsCodes::~ErrorsAsCodes() {
  if (!changed_) return;
  mpi_.Comm_set_errhandler(comm_, own_);
  mpi_.Errhandler_free(&own_);
}

void ErrorsAsCodes::give_back_to(MPI_Comm comm) const {
  if (changed_) mpi_.Comm_set_errhandler(comm, own_);
}

}  // namespace mapper
}  // namespace plait::preload
