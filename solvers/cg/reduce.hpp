// SPDX-License-Identifier: BSD-3-Clause
// A reduction of one number over all ranks.
#pragma once

#include <mpi.h>

namespace plait::cg {

/// Collective over `comm`.
inline double reduce(MPI_Comm comm, double value, MPI_Op op) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, op, comm);
  return value;
}

}  // namespace plait::cg
