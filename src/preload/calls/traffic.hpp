// SPDX-License-Identifier: BSD-3-Clause
// The data that calls move: bytes, partner and communicator, by kind of call (abi/functions).
//
// The bytes of a call: a send and Sendrecv count the bytes that they send; a blocking receive
// counts those that it receives; a nonblocking or persistent receive counts the size of its buffer.
// A collective counts the process' own send buffer (with MPI_IN_PLACE: its part of the receive
// buffer), and Bcast its buffer on every process. One-sided calls count the origin's bytes, MPI-IO
// the bytes that were requested. Persistent communication counts when it is started. Calls that
// wait or test have no bytes and no partner.
#pragma once

#include <stdint.h>

#include "preload/calls/call.hpp"
#include "preload/calls/communicators.hpp"
#include "preload/calls/requests.hpp"

namespace plait::preload {

/// Empties the thread's caches of handles when one of them was freed since.
inline void refresh_handles(Thread* thread) {
  const uint32_t seen = __atomic_load_n(&comm_generation, __ATOMIC_ACQUIRE);
  if (__builtin_expect(thread->comms_seen == seen, 1)) return;
  for (auto& slot : thread->comms) slot.handle = 0;
  for (auto& slot : thread->wins) slot.handle = 0;
  thread->comms_seen = seen;
}

/// The communicator's id, through the thread's cache.
inline uint32_t comm_id(Thread* thread, MPI_Comm comm) {
  const Word handle = word_of(comm);
  refresh_handles(thread);
  auto& slot = thread->comms[(handle * 0x9e3779b97f4a7c15u) >> (64 - Thread::kCommBits)];
  if (__builtin_expect(slot.handle != handle + 1, 0)) slot = {handle + 1, find_comm(handle)};
  return slot.id;
}

inline uint32_t win_id(Thread* thread, MPI_Win win) {
  const Word handle = word_of(win);
  refresh_handles(thread);
  auto& slot = thread->wins[(handle * 0x9e3779b97f4a7c15u) >> (64 - Thread::kWinBits)];
  if (__builtin_expect(slot.handle != handle + 1, 0)) slot = {handle + 1, find_win(handle)};
  return slot.id;
}

/// Grows whenever a datatype is freed, for the caches of the threads.
inline uint32_t type_generation = 1;

/// Bytes of data in one element of the type, through the thread's cache.
inline uint64_t type_bytes(Thread* thread, MPI_Datatype type) {
  const Word handle = word_of(type);
  const uint32_t seen = __atomic_load_n(&type_generation, __ATOMIC_ACQUIRE);
  if (__builtin_expect(thread->types_seen != seen, 0)) {
    for (auto& slot : thread->types) slot.handle = 0;
    thread->types_seen = seen;
  }
  auto& slot = thread->types[(handle * 0x9e3779b97f4a7c15u) >> (64 - Thread::kTypeBits)];
  if (__builtin_expect(slot.handle != handle + 1, 0)) {
    MPI_Count size = 0;
    // A call may ignore its datatype (MPI_Get_accumulate with MPI_NO_OP); asking for the size of
    // none would end the program.
    if (may_be_type(handle)) call_real<kFunction_Type_size_x>(type, &size);
    slot = {handle + 1, size > 0 ? static_cast<uint64_t>(size) : 0};
  }
  return slot.bytes;
}

inline uint64_t bytes_of(Thread* thread, MPI_Count count, MPI_Datatype type) {
  return count > 0 ? static_cast<uint64_t>(count) * type_bytes(thread, type) : 0;
}

/// Sets the class of the call's partner, a rank in `info`; returns its world rank, -1 if unknown.
inline int32_t set_peer(Call& call, const CommInfo& info, int rank) {
  if (__builtin_expect(rank == MPI_PROC_NULL, 0)) return call.peer = PLAIT_PEER_NULL, -1;
  if (rank < 0 || rank >= info.peers()) return call.peer = PLAIT_PEER_ANY, -1;
  const int32_t world_rank = info.peer_ranks()[rank];
  call.peer = peer_class(world_rank);
  return world_rank;
}

// Point to point

inline void see_send(Call& call, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm) {
  call.bytes = bytes_of(call.thread, count, type);
  call.comm = comm_id(call.thread, comm);
  const int32_t world_rank = set_peer(call, comm_info(call.comm), dest);
  if (world_rank >= 0) add_peer(call.thread, world_rank, false, call.bytes);
}

inline void see_sendrecv(Call& call, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm) {
  see_send(call, count, type, dest, comm);
}

inline void see_sendrecv_replace(Call& call, MPI_Count count, MPI_Datatype type, int dest,
                                 MPI_Comm comm) {
  see_send(call, count, type, dest, comm);
}

inline void see_isendrecv(Call& call, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm) {
  see_send(call, count, type, dest, comm);
}

inline void see_isendrecv_replace(Call& call, MPI_Count count, MPI_Datatype type, int dest,
                                  MPI_Comm comm) {
  see_send(call, count, type, dest, comm);
}

inline void see_irecv(Call& call, MPI_Count count, MPI_Datatype type, int source, MPI_Comm comm) {
  call.bytes = bytes_of(call.thread, count, type);
  call.comm = comm_id(call.thread, comm);
  set_peer(call, comm_info(call.comm), source);
}

inline MPI_Status* own_status(MPI_Status* wanted, MPI_Status* own) {
  return wanted == MPI_STATUS_IGNORE ? own : wanted;
}

inline void see_recv(Call& call, int source, MPI_Comm comm, const MPI_Status* status) {
  call.comm = comm_id(call.thread, comm);
  if (source != MPI_PROC_NULL) {
    call.bytes = status_bytes(*status);
    source = status->MPI_SOURCE;
  }
  set_peer(call, comm_info(call.comm), source);
}

inline void see_mrecv(Call& call, const MPI_Status* status) {
  call.bytes = status_bytes(*status);
}

inline void see_imrecv(Call& call, MPI_Count count, MPI_Datatype type) {
  call.bytes = bytes_of(call.thread, count, type);
}

inline void see_probe(Call& call, int source, MPI_Comm comm) {
  call.comm = comm_id(call.thread, comm);
  set_peer(call, comm_info(call.comm), source);
}

// Persistent: the bytes of each start are kept with the request.

inline void see_persistent_message(Call& call, MPI_Count count, MPI_Datatype type, int rank,
                                   MPI_Comm comm, const MPI_Request* request, bool sends) {
  const uint64_t bytes = bytes_of(call.thread, count, type);
  call.comm = comm_id(call.thread, comm);
  const int32_t world_rank = set_peer(call, comm_info(call.comm), rank);
  keep_request(word_of(*request),
               {bytes, call.function, call.comm, call.peer, sends ? world_rank : -1, -1, bytes});
}

inline void see_send_init(Call& call, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm,
                          const MPI_Request* request) {
  see_persistent_message(call, count, type, dest, comm, request, true);
}

inline void see_recv_init(Call& call, MPI_Count count, MPI_Datatype type, int source, MPI_Comm comm,
                          const MPI_Request* request) {
  see_persistent_message(call, count, type, source, comm, request, false);
}

inline void see_psend_init(Call& call, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                           MPI_Comm comm, const MPI_Request* request) {
  see_persistent_message(call, partitions * count, type, dest, comm, request, true);
}

inline void see_precv_init(Call& call, int partitions, MPI_Count count, MPI_Datatype type,
                           int source, MPI_Comm comm, const MPI_Request* request) {
  see_persistent_message(call, partitions * count, type, source, comm, request, false);
}

inline void count_start(Call& call, const KeptRequest& kept) {
  call.bytes += kept.bytes;
  call.comm = kept.comm;
  call.peer = kept.peer;
  if (kept.peer == PLAIT_PEER_COLLECTIVE)
    add_collective(call.thread, kept.function, kept.comm, kept.root, kept.bytes);
  else if (kept.world_rank >= 0)
    add_peer(call.thread, kept.world_rank, false, kept.bytes);
}

inline void see_start(Call& call, const MPI_Request* request) {
  KeptRequest kept;
  if (find_request(word_of(*request), &kept)) count_start(call, kept);
}

inline void see_startall(Call& call, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) see_start(call, &requests[i]);
}

// One-sided

inline int32_t see_target(Call& call, MPI_Count count, MPI_Datatype type, int target, MPI_Win win) {
  call.bytes = bytes_of(call.thread, count, type);
  call.comm = win_id(call.thread, win);
  return set_peer(call, comm_info(call.comm), target);
}

inline void see_put(Call& call, MPI_Count count, MPI_Datatype type, int target, MPI_Win win) {
  const int32_t world_rank = see_target(call, count, type, target, win);
  if (world_rank >= 0) add_peer(call.thread, world_rank, false, call.bytes);
}

inline void see_put_one(Call& call, MPI_Datatype type, int target, MPI_Win win) {
  see_put(call, 1, type, target, win);
}

inline void see_get(Call& call, MPI_Count count, MPI_Datatype type, int target, MPI_Win win) {
  see_target(call, count, type, target, win);
}

inline void see_win(Call& call, MPI_Win win) {
  call.comm = win_id(call.thread, win);
}

// Communicators, windows, files

inline void see_comm(Call& call, MPI_Comm comm) {
  if (comm != no_comm()) call.comm = comm_id(call.thread, comm);
}

// A new communicator is examined when it is made. All members do so in the same order, so that its
// ordinal distinguishes it from others with the same members.
inline void see_new_comm(Call& call, MPI_Comm comm, const MPI_Comm* made) {
  see_comm(call, comm);
  if (*made == no_comm() || comm_id(call.thread, *made)) return;
  // The program may have used the handle before it was one.
  forget_comm(word_of(*made));
  comm_id(call.thread, *made);
}

inline void see_new_win(Call& call, MPI_Comm comm, const MPI_Win* made) {
  see_comm(call, comm);
  if (*made == no_win() || win_id(call.thread, *made)) return;
  forget_win(word_of(*made));
  win_id(call.thread, *made);
}

inline void see_free_comm(Call&) {}
inline void see_free_win(Call&) {}
inline void see_free_type(Call&) {}
inline void see_free_request(Call&) {}

inline void see_comm_name(Call& call, MPI_Comm comm, const char* name) {
  see_comm(call, comm);
  name_comm(call.comm, name);
}

// These run before the handle is freed, also when MPI itself frees it.

/// MPI refuses to free these.
inline bool is_predefined(MPI_Comm comm) {
  return comm == world_comm() || comm == predefined<kCommSelf>();
}

inline void before_free_comm(const MPI_Comm* comm) {
  if (comm && !is_predefined(*comm)) forget_comm(word_of(*comm));
}

inline void before_free_win(const MPI_Win* win) {
  if (win) forget_win(word_of(*win));
}

inline void before_free_type(const MPI_Datatype*) {
  __atomic_add_fetch(&type_generation, 1, __ATOMIC_RELEASE);
}

inline void before_free_request(const MPI_Request* request) {
  if (request) forget_request(word_of(*request));
}

}  // namespace plait::preload
