// SPDX-License-Identifier: BSD-3-Clause
// MPI_Cart_create and MPI_Cart_map that reorder; MPI_Init, in which the processes' nodes are
// determined.
#include <functional>

#include "preload/mapper/calls.hpp"
#include "preload/mapper/decide.hpp"

namespace plait::preload::mapper {
namespace {

/// A grid of at least two vertices that fits into the communicator; others are left to MPI, which
/// reports what is wrong with them.
bool is_grid(const Library& mpi, MPI_Comm comm, int ndims, const int* dims, const int* periods) {
  if (ndims < 1 || !dims || !periods) return false;
  int size = 0;
  mpi.Comm_size(comm, &size);
  long long vertices = 1;
  for (int axis = 0; axis < ndims; ++axis) {
    if (dims[axis] < 1 || vertices > size) return false;
    vertices *= dims[axis];
  }
  return vertices > 1 && vertices <= size;
}

Topology grid_topology(const char* call, int ndims, const int* dims, const int* periods) {
  mapping::Cartesian grid;
  std::string shape;
  for (int axis = 0; axis < ndims; ++axis) {
    grid.dims.push_back(dims[axis]);
    grid.periodic.push_back(periods[axis] != 0);
    grid.bytes.push_back(kBytesOfEdge);
    shape += (axis == 0 ? "" : "x") + std::to_string(dims[axis]);
    if (periods[axis] != 0) shape += 'p';
  }
  return {call, shape, mapping::graph_of(grid), grid};
}

/// @returns true if the grid was made and reordered; the same on all ranks
bool reorder_grid(const Library& mpi, MPI_Comm comm, int ndims, const int* dims, const int* periods,
                  MPI_Comm* made) {
  const ErrorsAsCodes errors(mpi, comm);
  const auto topology = [&] { return grid_topology("MPI_Cart_create", ndims, dims, periods); };
  const Decision decision = decide(mpi, comm, std::cref(topology));
  if (decision.outcome != Outcome::reordered) return false;
  const auto make = [&](MPI_Comm ordered, MPI_Comm* grid) {
    return mpi.Cart_create(ordered, ndims, dims, periods, 0, grid);
  };
  return make_in_order(mpi, comm, decision, errors, std::cref(make), made);
}

}  // namespace

int cart_create(CartCreate* own, Word word, int ndims, const int* dims, const int* periods,
                int reorder, MPI_Comm* made) {
  const Library* mpi = library();
  const auto comm = as<MPI_Comm>(word);
  if (!mpi || !is_wanted(reorder) || !is_running(*mpi) || !can_be_reordered(*mpi, comm) ||
      !is_grid(*mpi, comm, ndims, dims, periods) || !made)
    return own(word, ndims, dims, periods, reorder, made);
  if (reorder_grid(*mpi, comm, ndims, dims, periods, made)) return MPI_SUCCESS;
  return own(word, ndims, dims, periods, 0, made);
}

int cart_map(CartMap* own, Word word, int ndims, const int* dims, const int* periods,
             int* new_rank) {
  const Library* mpi = library();
  const auto comm = as<MPI_Comm>(word);
  if (!mpi || !is_wanted(1) || !is_running(*mpi) || !can_be_reordered(*mpi, comm) ||
      !is_grid(*mpi, comm, ndims, dims, periods) || !new_rank)
    return own(word, ndims, dims, periods, new_rank);
  const auto topology = [&] { return grid_topology("MPI_Cart_map", ndims, dims, periods); };
  const Decision decision = decide_alone(*mpi, comm, std::cref(topology));
  if (decision.outcome != Outcome::reordered) return own(word, ndims, dims, periods, new_rank);
  int vertices = 1;
  for (int axis = 0; axis < ndims; ++axis) vertices *= dims[axis];
  *new_rank = decision.new_rank < vertices ? decision.new_rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

void after_init(int code) {
  const Library* mpi = library();
  if (code == MPI_SUCCESS && mpi && is_wanted(1)) observe_world(*mpi);
}

}  // namespace plait::preload::mapper
