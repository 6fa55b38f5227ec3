// SPDX-License-Identifier: BSD-3-Clause
// Cristian's algorithm by MPI messages: the shortest of several round trips bounds the error.
//
// F. Cristian, Probabilistic clock synchronization, Distributed Computing 3 (1989): the remote
// clock was read at some moment of the round trip, so assuming the middle is wrong by at most half
// of it. The messages use a private communicator, so that none can match the program's.
#include "preload/trace/clock_offset.hpp"

#include <sys/mman.h>
#include <time.h>

#include "preload/calls/functions.hpp"
#include "preload/recorder.hpp"
#include "preload/trace/event_file.hpp"
#include "preload/trace/trace.hpp"

namespace plait::preload::trace {
namespace {

constexpr int kRounds = 20;
constexpr int kTag = 1;

bool aligned;  // there are several hosts, and all processes take part
MPI_Comm private_comm;
int leader, rank;  // world ranks: the first of this host, this process
int members;       // of this host, without the leader
int* member_ranks;
int others;  // rank 0: leaders of the other hosts
int* other_leaders;

double own_clock() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

template <class Value>
void give(const Value& value, int to) {
  call_real<kFunction_Send>(static_cast<const void*>(&value), static_cast<int>(sizeof value),
                            byte_type(), to, kTag, private_comm);
}

template <class Value>
void take(Value* value, int from) {
  MPI_Status status;
  call_real<kFunction_Recv>(static_cast<void*>(value), static_cast<int>(sizeof *value), byte_type(),
                            from, kTag, private_comm, &status);
}

void answer(int to) {
  for (int i = 0; i < kRounds; ++i) {
    char question = 0;
    take(&question, to);
    give(own_clock(), to);
  }
}

plait_clock_offset ask() {
  plait_clock_offset best{};
  for (int i = 0; i < kRounds; ++i) {
    const char question = 0;
    double reference = 0;
    const double began = own_clock();
    give(question, 0);
    take(&reference, 0);
    const double ended = own_clock();
    const double half = (ended - began) / 2;
    if (best.measured && half >= best.uncertainty_s) continue;
    best.measured = 1;
    best.ticks = now_ticks();
    best.uncertainty_s = half;
    best.offset_s = reference - (began + half);
  }
  return best;
}

plait_clock_offset measure() {
  plait_clock_offset offset{};
  if (rank == 0) {
    for (int i = 0; i < others; ++i) answer(other_leaders[i]);
    offset.measured = 1;
    offset.ticks = now_ticks();
  } else if (rank == leader) {
    offset = ask();
  } else {
    take(&offset, leader);
  }
  if (rank == leader)
    for (int i = 0; i < members; ++i) give(offset, member_ranks[i]);
  return offset;
}

// The leaders of the other hosts (the first rank of each), in the order of their ranks.
void find_other_leaders(const uint64_t* hosts, int size) {
  uint64_t slots = 64;
  while (slots < 2 * static_cast<uint64_t>(size)) slots *= 2;
  auto* seen = static_cast<uint64_t*>(map_pages(sizeof(uint64_t) * slots));
  if (!seen) return;
  for (int i = 0; i < size; ++i) {
    uint64_t at = (hosts[i] * 0x9e3779b97f4a7c15u) & (slots - 1);
    while (seen[at] && seen[at] != hosts[i]) at = (at + 1) & (slots - 1);
    if (!seen[at] && i > 0) other_leaders[others++] = i;
    seen[at] = hosts[i];
  }
  munmap(seen, sizeof(uint64_t) * slots);
}

}  // namespace

void begin_alignment(const JobHosts& job) {
  const MPI_Comm world = world_comm();
  const uint64_t* const hosts = job.hosts;
  const int size = job.size;
  if (aligned || !job.all_traced || call_real<kFunction_Comm_rank>(world, &rank) != MPI_SUCCESS)
    return;
  bool several = false;
  for (int i = 0; i < size; ++i) several = several || hosts[i] != hosts[0];
  const uint64_t bytes = 2 * sizeof(int) * static_cast<uint64_t>(size);
  member_ranks = several ? static_cast<int*>(map_pages(bytes)) : nullptr;
  if (!several || !member_ranks) return;
  other_leaders = member_ranks + size;
  leader = 0;
  while (hosts[leader] != hosts[rank]) ++leader;
  for (int i = leader + 1; i < size; ++i)
    if (hosts[i] == hosts[rank]) member_ranks[members++] = i;
  if (rank == 0) find_other_leaders(hosts, size);
  if (call_real<kFunction_Comm_dup>(world, &private_comm) != MPI_SUCCESS) return;
  aligned = true;
  const plait_clock_offset offset = measure();
  if (events_header) events_header->at_init = offset;
}

void end_alignment() {
  if (!aligned) return;
  aligned = false;
  const plait_clock_offset offset = measure();
  if (events_header) events_header->at_finalize = offset;
  call_real<kFunction_Comm_free>(&private_comm);
}

}  // namespace plait::preload::trace
