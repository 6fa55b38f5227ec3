// SPDX-License-Identifier: BSD-3-Clause
// Decides, the same on all ranks, which process becomes which vertex of a topology.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "map/mapping.hpp"
#include "preload/mapper/nodes.hpp"

namespace plait::preload::mapper {

/// What a program asks an order for.
struct Topology {
  std::string call;   ///< "MPI_Cart_create"
  std::string shape;  ///< "4x4x2", "grid" in a person's words; "graph of 32"
  map::Graph graph;   ///< at most as many vertices as there are processes
  std::optional<map::Cartesian> grid;
};

/// Bytes that are taken for one face of a grid, or an edge without weight: programs tell MPI no
/// sizes. Large enough that bandwidth counts more than latency.
inline constexpr double kBytesOfEdge = 65536;

enum class Outcome : int {
  failed,  ///< could not be decided; told on standard error
  kept,    ///< nothing to gain
  reordered,
};

struct Decision {
  Outcome outcome = Outcome::failed;
  int new_rank = 0;            ///< of this process; those without a vertex come behind all others
  std::vector<int> new_ranks;  ///< of all processes; only on the rank that solved
  std::string record;          ///< for keep_record(); only there
};

/// Rank 0 makes the topology and solves it, and tells the others. Collective over `comm`, whose
/// errors are to come back as codes; its result is the same everywhere but for new_rank. An order
/// that is kept is recorded.
/// @param topology  called on rank 0 only; what it throws makes the outcome `failed`. A reference
///                  (std::cref): a function that has to be copied may need memory
Decision decide(const Library& mpi, MPI_Comm comm, const std::function<Topology()>& topology);

/// The same without communication, for calls that are local: every process that calls solves for
/// itself. `failed` when the places of the communicator's processes are not known.
Decision decide_alone(const Library& mpi, MPI_Comm comm, const std::function<Topology()>& topology);

/// What makes a topology on the communicator of the processes in their new order. @returns MPI's
/// code
using MakeTopology = std::function<int(MPI_Comm ordered, MPI_Comm* made)>;

/// Makes a topology as it was decided, and records that. Collective over the program's `comm`.
/// @param errors  of `comm`; the new communicator gets the program's error handler
/// @param make  a reference, as above
/// @returns whether it is made, the same on all ranks; if not, `made` is as it was, and rank 0 has
///          said why
bool make_in_order(const Library& mpi, MPI_Comm comm, const Decision& decision,
                   const ErrorsAsCodes& errors, const MakeTopology& make, MPI_Comm* made);

/// Is this a communicator whose processes can be reordered?
bool can_be_reordered(const Library& mpi, MPI_Comm comm);

/// Are calls to be reordered that pass this `reorder`? By PLAIT_MAP: "always": all; "never": none.
bool is_wanted(int reorder);

/// Says once a process on standard error why something is left in its order.
void say_once(const char* call, const char* reason) noexcept;

}  // namespace plait::preload::mapper
