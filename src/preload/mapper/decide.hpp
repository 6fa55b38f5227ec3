// SPDX-License-Identifier: BSD-3-Clause
// Decides which process becomes which vertex of a topology, the same on all ranks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "preload/mapper/nodes.hpp"
#include "preload/mapper/topology.hpp"

namespace plait::preload::mapper {

enum class Outcome : int {
  failed,  ///< could not be decided; reported on standard error
  kept,    ///< nothing to gain
  reordered,
};

struct Decision {
  Outcome outcome = Outcome::failed;
  int new_rank = 0;            ///< of this process; those without a vertex come last
  std::vector<int> new_ranks;  ///< of all processes; only on the rank that solved
  std::string record;          ///< for keep_record(); only there
};

/// Rank 0 makes the topology, solves it and sends the result. Collective over `comm`, whose
/// errors must be returned as codes; the result is the same on all ranks but for new_rank. An order
/// that is kept is recorded.
/// @param topology  called on rank 0 only; what it throws makes the outcome `failed`. A reference
///                  (std::cref): a function that has to be copied may need memory
Decision decide(const Library& mpi, MPI_Comm comm, const std::function<Topology()>& topology);

/// The same without communication, for local calls: each calling process searches for itself.
/// `failed` when the places of the processes are unknown.
Decision decide_alone(const Library& mpi, MPI_Comm comm, const std::function<Topology()>& topology);

/// Makes a topology on the communicator of the processes in their new order. @returns MPI's code
using MakeTopology = std::function<int(MPI_Comm ordered, MPI_Comm* made)>;

/// Creates a topology by a decision, and records it. Collective over the program's `comm`.
/// @param errors  of `comm`; the new communicator gets the program's error handler
/// @param make  a reference, as above
/// @returns true if it was made, the same on all ranks; if not, `made` is unchanged, and rank 0 has
///          reported why
bool make_in_order(const Library& mpi, MPI_Comm comm, const Decision& decision,
                   const ErrorsAsCodes& errors, const MakeTopology& make, MPI_Comm* made);

/// True if the processes of this communicator can be reordered.
bool can_be_reordered(const Library& mpi, MPI_Comm comm);

/// True if calls with this `reorder` are to be reordered. PLAIT_MAP: "always": all; "never": none.
bool is_wanted(int reorder);

/// Reports on standard error, once per process, why an order is not changed.
void say_once(const char* call, const char* reason) noexcept;

}  // namespace plait::preload::mapper
