// SPDX-License-Identifier: BSD-3-Clause
// Communicators and windows of the process: which world ranks they join, and how near those are.
#pragma once

#include <stdint.h>

#include "preload/profile/abi.hpp"

namespace plait::preload {

/// A communicator or a window's group. Index 0 of the table is "none".
struct CommInfo {
  int32_t size = 0, my_rank = 0;
  int32_t remote_size = 0;             ///< 0: intracommunicator
  const int32_t* ranks = nullptr;      ///< world ranks; the local group, then the remote one
  const int32_t* neighbors = nullptr;  ///< see out_neighbors; null: not asked yet
  int32_t neighbor_count = 0;
  int32_t source_count = 0;  ///< neighbours that send to it
  bool freed = false;  ///< its id may stand for another of the same members, once ids are many
  /// Those to which this process speaks by rank number.
  int32_t peers() const { return remote_size ? remote_size : size; }
  const int32_t* peer_ranks() const { return remote_size ? ranks + size : ranks; }
};

const CommInfo& comm_info(uint32_t id);

/// The id of a communicator, which becomes known at first sight by local MPI calls on its group.
/// 0 when it cannot be resolved (the record counts that). Takes a lock.
uint32_t find_comm(Word handle);
uint32_t find_win(Word handle);

/// To be called before the handle is freed: the library may give it to another communicator.
void forget_comm(Word handle);
void forget_win(Word handle);

/// Grows whenever a communicator or window was forgotten, for the caches of the threads.
extern uint32_t comm_generation;

void name_comm(uint32_t id, const char* name);

/// Learns the world's ranks and hosts. On several hosts it communicates once over MPI_COMM_WORLD
/// (an allgather of 8 bytes). `in_session`: there is no MPI_COMM_WORLD, no communication, and the
/// process set mpi://WORLD stands in.
void learn_world(bool in_session, MPI_Session session);

/// What learn_world communicates, by a process that is not recorded itself: else the others would
/// wait for it.
void take_part_in_learning();

/// How near the process of that world rank is; unknown ranks count as unresolved.
plait_peer_class peer_class(int32_t world_rank);

/// The same communicator, with the world ranks to which its neighbourhood collectives send (-1:
/// nobody there). Local MPI calls at first sight, a look-up later.
const CommInfo& with_neighbors(MPI_Comm comm, uint32_t id);

}  // namespace plait::preload
