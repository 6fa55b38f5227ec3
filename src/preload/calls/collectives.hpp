// SPDX-License-Identifier: BSD-3-Clause
// The data that collective calls move. See traffic.hpp for the definition of their bytes.
//
// A collective that sends as much to each partner goes to the table of collectives, with the bytes
// for one partner. If the bytes differ between partners (Scatterv, Alltoallv, Alltoallw,
// neighbourhoods), they are counted for each peer instead, and the table of collectives counts the
// call without bytes.
#pragma once

#include "preload/calls/traffic.hpp"

namespace plait::preload {

/// `total`: bytes of the call; `each`: for one partner. With a request, the call only prepares
/// the collective, and each start of it will count.
inline void keep_collective(Call& call, int root, uint64_t total, uint64_t each,
                            const MPI_Request* request) {
  call.peer = PLAIT_PEER_COLLECTIVE;
  if (root < 0) root = -1;  // MPI_ROOT and MPI_PROC_NULL of intercommunicators
  if (request) {
    keep_request(word_of(*request), {each, call.function, call.comm, call.peer, -1, root, total});
    return;
  }
  call.bytes = total;
  add_collective(call.thread, call.function, call.comm, root, each);
}

inline const CommInfo& enter_comm(Call& call, MPI_Comm comm) {
  call.comm = comm_id(call.thread, comm);
  return comm_info(call.comm);
}

inline bool is_root(const CommInfo& info, int root) {
  return info.remote_size ? root == MPI_ROOT : root == info.my_rank;
}

/// Does the process send to a root? On an intercommunicator, idle processes and the root do not.
inline bool sends_to(const CommInfo& info, int root) {
  return !info.remote_size || root >= 0;
}

inline void add_share(Call& call, int32_t world_rank, uint64_t bytes) {
  if (bytes && world_rank >= 0) add_peer(call.thread, world_rank, true, bytes);
}

inline void see_barrier(Call& call, MPI_Comm comm, const MPI_Request* request) {
  enter_comm(call, comm);
  keep_collective(call, -1, 0, 0, request);
}

inline void see_bcast(Call& call, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
                      const MPI_Request* request) {
  enter_comm(call, comm);
  const uint64_t bytes = bytes_of(call.thread, count, type);
  keep_collective(call, root, bytes, bytes, request);
}

inline void see_reduce(Call& call, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm,
                       const MPI_Request* request) {
  const bool sends = sends_to(enter_comm(call, comm), root);
  const uint64_t bytes = sends ? bytes_of(call.thread, count, type) : 0;
  keep_collective(call, root, bytes, bytes, request);
}

inline void see_allreduce(Call& call, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                          const MPI_Request* request) {
  enter_comm(call, comm);
  const uint64_t bytes = bytes_of(call.thread, count, type);
  keep_collective(call, -1, bytes, bytes, request);
}

inline void see_gather(Call& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                       const MPI_Request* request) {
  const bool sends = sends_to(enter_comm(call, comm), root);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const uint64_t bytes = !sends     ? 0
                         : in_place ? bytes_of(call.thread, recvcount, recvtype)
                                    : bytes_of(call.thread, sendcount, sendtype);
  keep_collective(call, root, bytes, bytes, request);
}

template <class Count>
void see_gatherv(Call& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                 const Count* recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 const MPI_Request* request) {
  const CommInfo& info = enter_comm(call, comm);
  const MPI_Count own = sendbuf == MPI_IN_PLACE ? recvcounts[info.my_rank] : 0;
  see_gather(call, sendbuf, sendcount, sendtype, own, recvtype, root, comm, request);
}

inline void see_scatter(Call& call, MPI_Count sendcount, MPI_Datatype sendtype, int root,
                        MPI_Comm comm, const MPI_Request* request) {
  const CommInfo& info = enter_comm(call, comm);
  const uint64_t each = is_root(info, root) ? bytes_of(call.thread, sendcount, sendtype) : 0;
  keep_collective(call, root, each * static_cast<uint64_t>(info.peers()), each, request);
}

template <class Count>
void see_scatterv(Call& call, const Count* sendcounts, MPI_Datatype sendtype, int root,
                  MPI_Comm comm, const MPI_Request* request) {
  const CommInfo& info = enter_comm(call, comm);
  uint64_t total = 0;
  for (int i = 0; is_root(info, root) && i < info.peers(); ++i) {
    const uint64_t bytes = bytes_of(call.thread, sendcounts[i], sendtype);
    if (!request) add_share(call, info.peer_ranks()[i], bytes);
    total += bytes;
  }
  keep_collective(call, root, total, 0, request);
}

inline void see_allgather(Call& call, const void* sendbuf, MPI_Count sendcount,
                          MPI_Datatype sendtype, MPI_Count recvcount, MPI_Datatype recvtype,
                          MPI_Comm comm, const MPI_Request* request) {
  enter_comm(call, comm);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const uint64_t bytes = in_place ? bytes_of(call.thread, recvcount, recvtype)
                                  : bytes_of(call.thread, sendcount, sendtype);
  keep_collective(call, -1, bytes, bytes, request);
}

template <class Count>
void see_allgatherv(Call& call, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                    const Count* recvcounts, MPI_Datatype recvtype, MPI_Comm comm,
                    const MPI_Request* request) {
  const CommInfo& info = enter_comm(call, comm);
  const MPI_Count own = sendbuf == MPI_IN_PLACE ? recvcounts[info.my_rank] : 0;
  see_allgather(call, sendbuf, sendcount, sendtype, own, recvtype, comm, request);
}

inline void see_alltoall(Call& call, const void* sendbuf, MPI_Count sendcount,
                         MPI_Datatype sendtype, MPI_Count recvcount, MPI_Datatype recvtype,
                         MPI_Comm comm, const MPI_Request* request) {
  const CommInfo& info = enter_comm(call, comm);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const uint64_t each = in_place ? bytes_of(call.thread, recvcount, recvtype)
                                 : bytes_of(call.thread, sendcount, sendtype);
  keep_collective(call, -1, each * static_cast<uint64_t>(info.peers()), each, request);
}

/// Shares by rank; `type_of(i)` is the datatype of the i-th.
template <class Count, class TypeOf>
void see_shares(Call& call, const CommInfo& info, const Count* counts, TypeOf type_of,
                const MPI_Request* request) {
  uint64_t total = 0;
  for (int i = 0; i < info.peers(); ++i) {
    const uint64_t bytes = bytes_of(call.thread, counts[i], type_of(i));
    if (!request) add_share(call, info.peer_ranks()[i], bytes);
    total += bytes;
  }
  keep_collective(call, -1, total, 0, request);
}

template <class Count>
void see_alltoallv(Call& call, const void* sendbuf, const Count* sendcounts, MPI_Datatype sendtype,
                   const Count* recvcounts, MPI_Datatype recvtype, MPI_Comm comm,
                   const MPI_Request* request) {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const MPI_Datatype type = in_place ? recvtype : sendtype;
  see_shares(
      call, enter_comm(call, comm), in_place ? recvcounts : sendcounts, [=](int) { return type; },
      request);
}

template <class Count>
void see_alltoallw(Call& call, const void* sendbuf, const Count* sendcounts,
                   const MPI_Datatype* sendtypes, const Count* recvcounts,
                   const MPI_Datatype* recvtypes, MPI_Comm comm, const MPI_Request* request) {
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const MPI_Datatype* types = in_place ? recvtypes : sendtypes;
  see_shares(
      call, enter_comm(call, comm), in_place ? recvcounts : sendcounts,
      [=](int i) { return types[i]; }, request);
}

template <class Count>
void see_reduce_scatter(Call& call, const Count* recvcounts, MPI_Datatype type, MPI_Comm comm,
                        const MPI_Request* request) {
  const CommInfo& info = enter_comm(call, comm);
  const int partners = info.size;
  MPI_Count total = 0;
  for (int i = 0; i < partners; ++i) total += recvcounts[i];
  const uint64_t bytes = bytes_of(call.thread, total, type);
  keep_collective(call, -1, bytes, partners ? bytes / static_cast<uint64_t>(partners) : 0, request);
}

inline void see_reduce_scatter_block(Call& call, MPI_Count recvcount, MPI_Datatype type,
                                     MPI_Comm comm, const MPI_Request* request) {
  const CommInfo& info = enter_comm(call, comm);
  const uint64_t each = bytes_of(call.thread, recvcount, type);
  keep_collective(call, -1, each * static_cast<uint64_t>(info.size), each, request);
}

/// Neighbourhoods: `bytes_for(i)` go to the i-th neighbour.
template <class BytesFor>
void see_neighbors(Call& call, MPI_Comm comm, BytesFor bytes_for, const MPI_Request* request) {
  call.comm = comm_id(call.thread, comm);
  const CommInfo& info = with_neighbors(comm, call.comm);
  uint64_t total = 0;
  for (int i = 0; i < info.neighbor_count; ++i) {
    const uint64_t bytes = info.neighbors[i] < 0 ? 0 : bytes_for(i);
    if (!request) add_share(call, info.neighbors[i], bytes);
    total += bytes;
  }
  keep_collective(call, -1, total, 0, request);
}

inline void see_neighbor_allgather(Call& call, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                                   const MPI_Request* request) {
  const uint64_t each = bytes_of(call.thread, count, type);
  see_neighbors(
      call, comm, [=](int) { return each; }, request);
}

inline void see_neighbor_alltoall(Call& call, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                                  const MPI_Request* request) {
  see_neighbor_allgather(call, count, type, comm, request);
}

template <class Count>
void see_neighbor_alltoallv(Call& call, const Count* counts, MPI_Datatype type, MPI_Comm comm,
                            const MPI_Request* request) {
  Thread* thread = call.thread;
  see_neighbors(
      call, comm, [=](int i) { return bytes_of(thread, counts[i], type); }, request);
}

template <class Count>
void see_neighbor_alltoallw(Call& call, const Count* counts, const MPI_Datatype* types,
                            MPI_Comm comm, const MPI_Request* request) {
  Thread* thread = call.thread;
  see_neighbors(
      call, comm, [=](int i) { return bytes_of(thread, counts[i], types[i]); }, request);
}

}  // namespace plait::preload
