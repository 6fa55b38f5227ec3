// SPDX-License-Identifier: BSD-3-Clause
// Determines on which node, and where in it, each process runs; never assumed from rank numbers.
#include "preload/mapper/nodes.hpp"

#include <map>
#include <new>
#include <numeric>
#include <utility>

namespace plait::preload::mapper {
namespace {

// Of MPI_COMM_WORLD, written once in MPI_Init. Never freed: other threads may still read at exit.
const std::vector<Place>* world_places;

/// The lowest rank of `comm` that is in `part`. Local. @returns false when MPI failed
bool lowest_rank(const Library& mpi, MPI_Comm comm, MPI_Comm part, std::int32_t& lowest) {
  MPI_Group all, some;
  if (mpi.Comm_group(comm, &all) != MPI_SUCCESS) return false;
  bool found = mpi.Comm_group(part, &some) == MPI_SUCCESS;
  if (found) {
    const int first = 0;
    found = mpi.Group_translate_ranks(some, 1, &first, all, &lowest) == MPI_SUCCESS;
    mpi.Group_free(&some);
  }
  mpi.Group_free(&all);
  return found;
}

/// This process' place. Collective over `comm`. @returns true if all ranks have theirs
bool place_in(const Library& mpi, MPI_Comm comm, Place& place) {
  int rank = 0;
  mpi.Comm_rank(comm, &rank);
  MPI_Comm neighbours = no_comm();
  const int code = mpi.Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, no_info(), &neighbours);
  // A communicator that only some ranks have made is not freed: freeing is collective.
  if (!all_agree(mpi, comm, code == MPI_SUCCESS)) return false;
  const bool found = lowest_rank(mpi, comm, neighbours, place.node);
  mpi.Comm_free(&neighbours);
  const Inside inside = place_inside_node();
  for (std::size_t level = 0; level < inside.size(); ++level) place.inside[level] = inside[level];
  return all_agree(mpi, comm, found);
}

}  // namespace

void observe_world(const Library& mpi) {
  const MPI_Comm world = world_comm();
  int size = 0;
  mpi.Comm_size(world, &size);
  if (size < 2 || size > kMostProcesses) return;
  const ErrorsAsCodes errors(mpi, world);
  Place own{};
  if (!place_in(mpi, world, own)) return;
  auto* places = new (std::nothrow) std::vector<Place>;
  try {
    if (places) places->resize(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    places->clear();
  }
  bool ready = all_agree(mpi, world, places != nullptr && !places->empty());
  if (ready && places) {
    const int code = mpi.Allgather(&own, sizeof own, byte_type(), places->data(), sizeof own,
                                   byte_type(), world);
    ready = all_agree(mpi, world, code == MPI_SUCCESS);
  }
  if (ready)
    world_places = places;
  else
    delete places;
}

std::optional<std::vector<Place>> known_places(const Library& mpi, MPI_Comm comm) {
  if (world_places == nullptr || !is_world_running(mpi)) return std::nullopt;
  int size = 0;
  mpi.Comm_size(comm, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), world_ranks(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group group, world;
  if (mpi.Comm_group(comm, &group) != MPI_SUCCESS) return std::nullopt;
  if (mpi.Comm_group(world_comm(), &world) != MPI_SUCCESS) {
    mpi.Group_free(&group);
    return std::nullopt;
  }
  const int code = mpi.Group_translate_ranks(group, size, ranks.data(), world, world_ranks.data());
  mpi.Group_free(&group);
  mpi.Group_free(&world);
  if (code != MPI_SUCCESS) return std::nullopt;
  std::vector<Place> places;
  for (const int rank : world_ranks) {
    if (rank == MPI_UNDEFINED) return std::nullopt;
    places.push_back((*world_places)[static_cast<std::size_t>(rank)]);
  }
  return places;
}

bool observe(const Library& mpi, MPI_Comm comm, std::vector<Place>& places) {
  int rank = 0, size = 0;
  mpi.Comm_rank(comm, &rank);
  mpi.Comm_size(comm, &size);
  Place own{};
  if (!place_in(mpi, comm, own)) return false;
  bool ready = true;
  try {
    if (rank == 0) places.resize(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    ready = false;
  }
  if (!all_agree(mpi, comm, ready)) return false;
  const int code =
      mpi.Gather(&own, sizeof own, byte_type(), places.data(), sizeof own, byte_type(), 0, comm);
  return all_agree(mpi, comm, code == MPI_SUCCESS);
}

mapping::Slots slots_of(const std::vector<Place>& places) {
  mapping::Slots slots;
  std::map<int, int> nodes;
  std::array<std::map<std::pair<int, int>, int>, std::tuple_size_v<Inside>> groups;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    mapping::Slot slot{};
    const Place& place = places[rank];
    slot[0] = nodes.emplace(place.node, static_cast<int>(nodes.size())).first->second;
    for (std::size_t level = 0; level < groups.size(); ++level) {
      // An unknown number is below 0 here: the process shares it with none.
      const int group = place.inside[level];
      const std::pair<int, int> name =
          group < 0 ? std::pair{-1, static_cast<int>(rank)} : std::pair{slot[0], group};
      slot[level + 1] =
          groups[level].emplace(name, static_cast<int>(groups[level].size())).first->second;
    }
    slots.of.push_back(slot);
  }
  return slots;
}

}  // namespace plait::preload::mapper
