// SPDX-License-Identifier: BSD-3-Clause
// Determines on which node, and where in it, each process runs; never assumed from rank numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/slots.hpp"
#include "preload/mapper/library.hpp"
#include "preload/mapper/place.hpp"

namespace plait::preload::mapper {

/// More processes keep their order: the search would take minutes.
inline constexpr int kMostProcesses = 131072;

/// The place of one process. Exchanged as bytes.
struct Place {
  std::int32_t node;  ///< lowest rank on the node, in the observed communicator
  std::int32_t inside[std::tuple_size_v<Inside>];
};

/// Observes MPI_COMM_WORLD and keeps it for known_places(). Collective over it; at the end of
/// MPI_Init. After a failure nothing is kept, on all ranks.
void observe_world(const Library& mpi);

/// The places of the ranks of a communicator, if all are in MPI_COMM_WORLD. Local, so that the
/// local calls MPI_Cart_map and MPI_Graph_map can use it.
/// @throws std::bad_alloc
std::optional<std::vector<Place>> known_places(const Library& mpi, MPI_Comm comm);

/// Observes a communicator whose errors are returned as codes. Collective over it.
/// @param places  of its ranks; on rank 0
/// @returns true if that was possible, the same on all ranks
bool observe(const Library& mpi, MPI_Comm comm, std::vector<Place>& places);

/// The slots that the processes occupy: slot i is where rank i is. A process that may run on
/// several cores, caches etc. shares none of them with another process.
mapping::Slots slots_of(const std::vector<Place>& places);

}  // namespace plait::preload::mapper
