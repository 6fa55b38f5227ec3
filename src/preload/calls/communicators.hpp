// SPDX-License-Identifier: BSD-3-Clause
// Communicators and windows of the process: their world ranks, and which of those are on this host.
#pragma once

#include <stdint.h>

#include "preload/calls/abi.hpp"

namespace plait::preload {

/// A communicator or a window's group. Index 0 of the table is "none".
struct CommInfo {
  int32_t size = 0, my_rank = 0;
  int32_t remote_size = 0;             ///< 0: intracommunicator
  const int32_t* ranks = nullptr;      ///< world ranks; the local group, then the remote one
  const int32_t* neighbors = nullptr;  ///< see with_neighbors; null: not asked yet
  int32_t* neighbor_room = nullptr;    ///< for `neighbors`
  int32_t neighbor_count = 0;
  int32_t source_count = 0;   ///< neighbours that send to it
  uint64_t sources_hash = 0;  ///< of the recorded ones; 0: none
  uint32_t first_run = 0;     ///< of `ranks`, in the record's table
  /// Those with the same members form a group, which the first of them counts. The ids of freed
  /// ones may be reused.
  uint32_t first = 0, alike = 0, freed = 0, next_freed = 0;
  /// The ranks that this process addresses by rank number.
  int32_t peers() const { return remote_size ? remote_size : size; }
  const int32_t* peer_ranks() const { return remote_size ? ranks + size : ranks; }
};

const CommInfo& comm_info(uint32_t id);

/// The id of a communicator. A new one is examined by local MPI calls on its group. 0 if it cannot
/// be resolved (the record counts that). Takes a lock.
uint32_t find_comm(Word handle);
uint32_t find_win(Word handle);

/// The id of a communicator that was found before, else 0.
uint32_t known_comm_id(Word handle);

/// To be called before the handle is freed: the library may give it to another communicator.
void forget_comm(Word handle);
void forget_win(Word handle);

/// Grows whenever a communicator or window was forgotten, for the caches of the threads.
extern uint32_t comm_generation;

void name_comm(uint32_t id, const char* name);

/// Writes the world ranks of a group's members (-1: not in the world), and returns their number; 0
/// if there are more than `most`. Local.
int world_ranks_of(MPI_Group group, int32_t* into, int most);

/// What the processes of a job on several hosts know about each other at the end of Init.
struct JobHosts {
  const uint64_t* hosts;  ///< a number for each world rank's host
  const bool* away;       ///< of each world rank: record_is_away()
  int root;               ///< the first with has_run_folder(); -1: none
  int size;
  bool all_traced;    ///< every process keeps a trace
  bool all_recorded;  ///< every process has a record
  bool any_away;
};

/// Every process of a job on several hosts calls this when it knows the hosts of all processes.
using HostsLearnt = void (*)(const JobHosts& job);

/// Learns the world's ranks and hosts. On several hosts it communicates once over MPI_COMM_WORLD
/// (an allgather of 8 bytes). `in_session`: there is no MPI_COMM_WORLD, no communication, and the
/// process set mpi://WORLD is used instead.
void learn_world(bool in_session, MPI_Session session, HostsLearnt then);

/// The communication of learn_world, for a process that is not recorded: without it, the others
/// would wait for this process.
void take_part_in_learning(HostsLearnt then);

/// Where the process of that world rank is; unknown ranks count as unresolved.
plait_peer_class peer_class(int32_t world_rank);

/// The same communicator, with the world ranks to which its neighbourhood collectives send (-1:
/// none). The first time it makes local MPI calls, takes a lock and records the ranks that send to
/// this process; later it is a look-up.
const CommInfo& with_neighbors(MPI_Comm comm, uint32_t id);

}  // namespace plait::preload
