// SPDX-License-Identifier: BSD-3-Clause
// Measures the memory bandwidth that bounds sparse products.
#pragma once

#include <mpi.h>

namespace plait::cg {

/// Bytes per second of all ranks of a communicator together, when all threads of all ranks run.
struct Bandwidth {
  double copy = 0;  ///< STREAM copy, with ordinary stores, counted as STREAM does: read and written
  double read = 0;  ///< a sum of all elements

  [[nodiscard]] double best() const { return copy > read ? copy : read; }
};

/// Collective. Takes less than a second.
/// @throws CollectiveError if the memory does not suffice
Bandwidth measure_bandwidth(MPI_Comm comm, int threads);

}  // namespace plait::cg
