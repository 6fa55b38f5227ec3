// SPDX-License-Identifier: BSD-3-Clause
// Synthetic records of ranks.
#include "synthetic_records.hpp"

namespace plait::report {
namespace {

trace::CallEntry call(const char* function, std::uint32_t site, std::uint32_t comm,
                      plait_peer_class peer, int size_class, std::uint64_t count,
                      std::uint64_t bytes, double time_s) {
  trace::CallEntry entry;
  entry.function = function;
  entry.collective = peer == PLAIT_PEER_COLLECTIVE;
  entry.site = site;
  entry.comm = comm;
  entry.peer = peer;
  entry.size_class = size_class;
  entry.count = count;
  entry.bytes = bytes;
  entry.time_s = time_s;
  entry.max_s = time_s / static_cast<double>(count) * 2;
  entry.before_s = 1;
  return entry;
}

}  // namespace

trace::RankRecord synthetic_record(int rank, int size, double mpi_s) {
  trace::RankRecord record;
  record.state = PLAIT_STATE_FINALIZED;
  record.pid = 100 + rank;
  record.world_rank = rank;
  record.world_size = size;
  record.thread_required = 0;
  record.thread_provided = 1;
  record.host = rank < (size + 1) / 2 ? "n0" : "n1";
  record.library = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";
  record.start_unix_s = 1000 + 0.01 * rank;
  record.init_begin_s = 0.5;
  record.init_end_s = 1;
  record.last_s = 11.25;
  record.overhead_ns_per_call = 20;
  trace::Communicator world;
  world.name = "MPI_COMM_WORLD";
  world.my_rank = rank;
  world.members_hash = 77;
  for (int member = 0; member < size; ++member) world.members.push_back(member);
  record.comms = {{}, world};
  const trace::CodeAddress main{"/nowhere/app", 0x900, 0};
  record.sites = {{},
                  {{{"/nowhere/libmpi.so.40", 0x10, 0}, {"/nowhere/app", 0x100, 0}, main}},
                  {{{"/nowhere/app", 0x200, 0}, main}}};
  record.threads = {{record.pid, 0, mpi_s + 0.75, 0.5, 11.25}};
  record.calls = {call("MPI_Init", 0, 0, PLAIT_PEER_NONE, 0, 1, 0, 0.5),
                  call("MPI_Allreduce", 1, 1, PLAIT_PEER_COLLECTIVE, 4, 10, 80, mpi_s - 0.125),
                  call("MPI_Send", 2, 1, PLAIT_PEER_NODE, 10, 1, 1000, 0.125),
                  call("MPI_Finalize", 0, 0, PLAIT_PEER_NONE, 0, 1, 0, 0.25)};
  record.peers = {{(rank + 1) % size, false, 1, 1000}};
  record.collectives = {{"MPI_Allreduce", 1, -1, 10, 80}};
  record.cpu_wait = {{record.pid, false, 1, 0.5, 0.1, 5, 6},
                     {record.pid, true, 11, 9.5, 0.3, 15, 26}};
  return record;
}

}  // namespace plait::report
