// SPDX-License-Identifier: BSD-3-Clause
// On which node, and where in it, each process runs: observed, never assumed from rank numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "map/slots.hpp"
#include "preload/mapper/library.hpp"
#include "preload/mapper/place.hpp"

namespace plait::preload::mapper {

/// Where one process runs. Exchanged as bytes.
struct Place {
  std::int32_t node;  ///< lowest rank, in the communicator that observed, of the processes there
  std::int32_t inside[std::tuple_size_v<Inside>];
};

/// Observes MPI_COMM_WORLD and keeps it for known_places(). Collective over it; at the end of
/// MPI_Init. What fails leaves nothing kept, on all ranks.
void observe_world(const Library& mpi);

/// The places of a communicator's ranks, when all of them are in MPI_COMM_WORLD. Local, so that the
/// local calls MPI_Cart_map and MPI_Graph_map can use it.
/// @throws std::bad_alloc
std::optional<std::vector<Place>> known_places(const Library& mpi, MPI_Comm comm);

/// Observes a communicator. Collective over it. @returns the places on rank 0, else or in trouble
/// nothing
std::vector<Place> observe(const Library& mpi, MPI_Comm comm);

/// The slots that the processes occupy: slot i is where rank i is. A process that may run on
/// several cores, caches ... shares none of that level with any other.
map::Slots slots_of(const std::vector<Place>& places);

}  // namespace plait::preload::mapper
