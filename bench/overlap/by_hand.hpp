// SPDX-License-Identifier: BSD-3-Clause
// The step as written by hand with MPI and OpenMP: the baseline for the schedules.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "step_work.hpp"

namespace plait::bench {

/// Exchanges the two faces across z of all fields and updates, with one message per neighbour and
/// field.
class ByHand {
public:
  /// @param below, above  neighbours across z, or MPI_PROC_NULL
  ByHand(MPI_Comm comm, int below, int above, StepWork& work);

  void blocking_step();     ///< MPI_Irecv, MPI_Isend, MPI_Waitall, then the whole update
  void nonblocking_step();  ///< the interior between MPI_Isend and MPI_Waitall
  void exchange();
  void compute();         ///< by all threads
  void compute_by_one();  ///< by one thread

private:
  void start();
  void finish();
  void update_parallel(const Box& box);

  MPI_Comm comm_;
  StepWork& work_;
  std::array<int, 2> neighbours_;
  std::vector<std::vector<double>> sent_, received_;  ///< field by field, below then above
  std::vector<MPI_Request> requests_;
};

}  // namespace plait::bench
