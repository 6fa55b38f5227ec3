// SPDX-License-Identifier: BSD-3-Clause
// The bytes that a process receives in each kind of collective, for its event.
//
// One function for each kind in abi/functions/collective.table. It is called after
// see_<kind> (calls/collectives.hpp), which counts what the process sends.
#pragma once

#include "preload/calls/collectives.hpp"
#include "preload/trace/calls.hpp"

namespace plait::preload::trace {

using Requested = const MPI_Request*;

inline bool is_root_of(const Call& call, int root) {
  return is_root(comm_info(call.comm), root);
}

/// Does the process receive from a root? Idle processes of an intercommunicator do not.
inline bool hears(const Call& call, int root) {
  return sends_to(comm_info(call.comm), root) && !is_root_of(call, root);
}

inline uint64_t peers_of(const Call& call) {
  return static_cast<uint64_t>(comm_info(call.comm).peers());
}

template <class Count>
uint64_t sum_of(const Call& call, const Count* counts, int partners, MPI_Datatype type) {
  MPI_Count sum = 0;
  for (int i = 0; i < partners; ++i) sum += counts[i];
  return bytes_of(call.thread, sum, type);
}

inline void barrier(const Call& call, How how, Requested request) {
  collective(call, how, kNoRoot, 0, false, 0, request);
}

inline void bcast(const Call& call, How how, MPI_Count count, MPI_Datatype type, int root,
                  Requested request) {
  const uint64_t received = hears(call, root) ? bytes_of(call.thread, count, type) : 0;
  collective(call, how, root, received, false, 0, request);
}

inline void reduce(const Call& call, How how, MPI_Count count, MPI_Datatype type, int root,
                   Word operation, Requested request) {
  const uint64_t received = is_root_of(call, root) ? bytes_of(call.thread, count, type) : 0;
  collective(call, how, root, received, false, operation, request);
}

inline void allreduce(const Call& call, How how, MPI_Count count, MPI_Datatype type, Word operation,
                      Requested request) {
  collective(call, how, kNoRoot, bytes_of(call.thread, count, type), false, operation, request);
}

inline void gather(const Call& call, How how, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                   Requested request) {
  const uint64_t received =
      is_root_of(call, root) ? peers_of(call) * bytes_of(call.thread, recvcount, recvtype) : 0;
  collective(call, how, root, received, false, 0, request);
}

template <class Count>
void gatherv(const Call& call, How how, const Count* recvcounts, MPI_Datatype recvtype, int root,
             Requested request) {
  const int partners = is_root_of(call, root) ? comm_info(call.comm).peers() : 0;
  collective(call, how, root, sum_of(call, recvcounts, partners, recvtype), true, 0, request);
}

inline void scatter(const Call& call, How how, MPI_Count sendcount, MPI_Datatype sendtype,
                    const void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root,
                    Requested request) {
  const bool in_place = recvbuf == MPI_IN_PLACE;
  const bool gets = hears(call, root) || (is_root_of(call, root) && root != MPI_ROOT);
  const uint64_t received = !gets      ? 0
                            : in_place ? bytes_of(call.thread, sendcount, sendtype)
                                       : bytes_of(call.thread, recvcount, recvtype);
  collective(call, how, root, received, false, 0, request);
}

inline void scatterv(const Call& call, How how, const void* recvbuf, MPI_Count recvcount,
                     MPI_Datatype recvtype, int root, Requested request) {
  const bool in_place = recvbuf == MPI_IN_PLACE;
  const bool gets = !in_place && (hears(call, root) || (is_root_of(call, root) && root >= 0));
  const uint64_t received = gets ? bytes_of(call.thread, recvcount, recvtype) : 0;
  collective(call, how, root, received, true, 0, request);
}

inline void allgather(const Call& call, How how, MPI_Count recvcount, MPI_Datatype recvtype,
                      Requested request) {
  const uint64_t received = peers_of(call) * bytes_of(call.thread, recvcount, recvtype);
  collective(call, how, kNoRoot, received, false, 0, request);
}

template <class Count>
void allgatherv(const Call& call, How how, const Count* recvcounts, MPI_Datatype recvtype,
                Requested request) {
  const uint64_t received = sum_of(call, recvcounts, comm_info(call.comm).peers(), recvtype);
  collective(call, how, kNoRoot, received, true, 0, request);
}

inline void alltoall(const Call& call, How how, MPI_Count recvcount, MPI_Datatype recvtype,
                     Requested request) {
  allgather(call, how, recvcount, recvtype, request);
}

template <class Count>
void alltoallv(const Call& call, How how, const Count* recvcounts, MPI_Datatype recvtype,
               Requested request) {
  allgatherv(call, how, recvcounts, recvtype, request);
}

template <class Count>
void alltoallw(const Call& call, How how, const Count* recvcounts, const MPI_Datatype* recvtypes,
               Requested request) {
  uint64_t received = 0;
  for (int i = 0; i < comm_info(call.comm).peers(); ++i)
    received += bytes_of(call.thread, recvcounts[i], recvtypes[i]);
  collective(call, how, kNoRoot, received, true, 0, request);
}

template <class Count>
void reduce_scatter(const Call& call, How how, const Count* recvcounts, MPI_Datatype type,
                    Word operation, Requested request) {
  const int rank = comm_info(call.comm).my_rank;
  const uint64_t received = rank < 0 ? 0 : bytes_of(call.thread, recvcounts[rank], type);
  collective(call, how, kNoRoot, received, true, operation, request);
}

inline void reduce_scatter_block(const Call& call, How how, MPI_Count recvcount, MPI_Datatype type,
                                 Word operation, Requested request) {
  const uint64_t received = bytes_of(call.thread, recvcount, type);
  collective(call, how, kNoRoot, received, false, operation, request);
}

inline void neighbor_allgather(const Call& call, How how, MPI_Count recvcount,
                               MPI_Datatype recvtype, Requested request) {
  const auto sources = static_cast<uint64_t>(comm_info(call.comm).source_count);
  const uint64_t received = sources * bytes_of(call.thread, recvcount, recvtype);
  collective(call, how, kNoRoot, received, false, 0, request);
}

inline void neighbor_alltoall(const Call& call, How how, MPI_Count recvcount, MPI_Datatype recvtype,
                              Requested request) {
  neighbor_allgather(call, how, recvcount, recvtype, request);
}

template <class Count>
void neighbor_allgatherv(const Call& call, How how, const Count* recvcounts, MPI_Datatype recvtype,
                         Requested request) {
  const uint64_t received = sum_of(call, recvcounts, comm_info(call.comm).source_count, recvtype);
  collective(call, how, kNoRoot, received, true, 0, request);
}

template <class Count>
void neighbor_alltoallv(const Call& call, How how, const Count* recvcounts, MPI_Datatype recvtype,
                        Requested request) {
  neighbor_allgatherv(call, how, recvcounts, recvtype, request);
}

template <class Count>
void neighbor_alltoallw(const Call& call, How how, const Count* recvcounts,
                        const MPI_Datatype* recvtypes, Requested request) {
  uint64_t received = 0;
  for (int i = 0; i < comm_info(call.comm).source_count; ++i)
    received += bytes_of(call.thread, recvcounts[i], recvtypes[i]);
  collective(call, how, kNoRoot, received, true, 0, request);
}

}  // namespace plait::preload::trace
