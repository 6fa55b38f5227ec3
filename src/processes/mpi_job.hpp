// SPDX-License-Identifier: BSD-3-Clause
// The interface of the objects that call MPI for the command plait, one for each ABI.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// A process in the MPI job that started it. One process of each node, its leader, works; process 0
/// is one of them. Functions return false when MPI reports an error; collective unless they say
/// otherwise.
struct plait_mpi_job {
  int processes;        ///< all
  int rank, size;       ///< among the leaders; rank -1: not one of them
  int node_size;        ///< processes of which the leader is one
  int leaders_of_node;  ///< on the same machine
  std::size_t largest;  ///< most bytes for one call of share()

  /// Of all processes: initializes MPI, and sets the members above.
  /// @param library  from dlopen()
  /// @param all_lead  each process is a leader, as on a node of its own; that of process 0 counts
  bool (*start)(void* library, bool all_lead, plait_mpi_job* job);
  /// Of the processes of a node: `own` of all to `all`, in order.
  bool (*gather_on_node)(const void* own, int bytes, void* all);
  /// Of the leaders: `own` of all to `all`, in order.
  bool (*gather)(const std::int64_t* own, std::int64_t* all);
  /// Of the leaders: a number for each of them from each of them.
  bool (*swap_numbers)(const std::int64_t* to, std::int64_t* from);
  /// Of the leaders: bytes for each of them from each of them; as MPI_Alltoallv.
  bool (*swap)(const void* to, const int* to_bytes, const int* to_begins, void* from,
               const int* from_bytes, const int* from_begins);
  /// Of the leaders: the bytes of one of them to all others.
  bool (*share)(void* bytes, std::size_t count, int from);
  /// Of all processes: waits for the others without taking their cores, and finalizes MPI.
  bool (*end)();
};

/// What an object defines.
plait_mpi_job* plait_mpi_job_of_object();
}
