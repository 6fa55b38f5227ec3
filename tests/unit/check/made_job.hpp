// SPDX-License-Identifier: BSD-3-Clause
// Synthetic jobs: processes with operations and open calls on one communicator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "check/collectives.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"

namespace plait::check {

enum MadeType : std::uint32_t { kInt = 1, kDouble = 2, kPair = 3, kByte = 4 };

/// Functions of made jobs, by index.
enum MadeFunction : std::uint32_t {
  kSend,
  kRecv,
  kWaitall,
  kWaitany,
  kBarrier,
  kBcast,
  kAllreduce,
  kGatherv,
  kAlltoallv,
  kFinalize,
  kIsend,
  kScatter
};

inline std::vector<Type> made_types() {
  const Signature of_int = basic_signature(11, 4);
  const Signature of_double = basic_signature(12, 8);
  std::vector<Type> types{{},
                          {of_int, false, "MPI_INT", {}},
                          {of_double, false, "MPI_DOUBLE", {}},
                          {join(of_int, of_double), false, "", {}},
                          {basic_signature(13, 1), true, "MPI_BYTE", {}}};
  types[kPair].parts = {{&types[kInt], 1}, {&types[kDouble], 1}};
  return types;
}

/// Builds a job whose ranks are all in MPI_COMM_WORLD. Operations are posted in the order of calls.
class MadeJob {
public:
  explicit MadeJob(int ranks) : ops_(static_cast<std::size_t>(ranks)) {
    job_.world_size = ranks;
    job_.comparable = true;
    for (int rank = 0; rank < ranks; ++rank) {
      Process process;
      process.rank = rank;
      process.state = PLAIT_STATE_INITIALIZED;
      process.types = made_types();
      process.functions = {"MPI_Send",      "MPI_Recv",     "MPI_Waitall",   "MPI_Waitany",
                           "MPI_Barrier",   "MPI_Bcast",    "MPI_Allreduce", "MPI_Gatherv",
                           "MPI_Alltoallv", "MPI_Finalize", "MPI_Isend",     "MPI_Scatter"};
      process.comms = {{}, {77, 0, 1, 0}};
      trace::Communicator world;
      world.name = "MPI_COMM_WORLD";
      world.my_rank = rank;
      world.members.append(0, static_cast<std::size_t>(ranks), 1);
      process.record_comms = {{}, world};
      job_.processes.push_back(std::move(process));
    }
  }

  /// Appends a complete operation, which the test may change.
  plait_check_op& add(int rank, plait_check_op_kind kind, std::uint32_t function) {
    plait_check_op op{};
    op.kind = kind;
    op.state = PLAIT_CHECK_COMPLETE;
    op.function = function;
    op.comm = 1;
    op.peer = op.actual_peer = op.tag = op.actual_tag = PLAIT_CHECK_NONE;
    auto& list = ops_[static_cast<std::size_t>(rank)];
    op.flags = PLAIT_CHECK_AWAITED;  // by the call itself
    op.ended_by = 1;
    op.ended_after = static_cast<std::uint32_t>(list.size() + 1);
    list.push_back(op);
    return list.back();
  }

  plait_check_op& send(int rank, int to, int tag, MadeType type, std::uint64_t count) {
    plait_check_op& op = add(rank, PLAIT_CHECK_SEND, kSend);
    op.peer = to;
    op.tag = tag;
    op.type = type;
    op.count = count;
    return op;
  }

  /// A receive that took a message with that source and tag.
  plait_check_op& receive(int rank, int from, int tag, MadeType type, std::uint64_t count) {
    plait_check_op& op = add(rank, PLAIT_CHECK_RECEIVE, kRecv);
    op.peer = op.actual_peer = from;
    op.tag = op.actual_tag = tag;
    op.type = type;
    op.count = count;
    return op;
  }

  plait_check_op& collective(int rank, std::uint64_t ordinal, std::uint32_t function,
                             int root = PLAIT_CHECK_NONE) {
    plait_check_op& op = add(rank, PLAIT_CHECK_COLLECTIVE, function);
    op.ordinal = ordinal;
    op.peer = root;
    return op;
  }

  /// Adds a list of counts and returns its index.
  std::uint64_t counts(int rank, const std::vector<std::uint64_t>& values) {
    auto& list = counts_[static_cast<std::size_t>(rank) % counts_.size()];
    if (list.empty()) list.push_back(0);
    const std::uint64_t place = list.size();
    list.insert(list.end(), values.begin(), values.end());
    return place;
  }

  /// The rank's last `count` operations are open, and a thread of it waits for them.
  void open(int rank, plait_check_wait wait, std::uint32_t function, std::uint32_t count = 1) {
    auto& list = ops_[static_cast<std::size_t>(rank)];
    plait_check_thread thread{};
    thread.sequence = 7;
    thread.alive = 1;
    thread.function = function;
    thread.wait = wait;
    thread.waited = count;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::size_t index = list.size() - count + i;
      list[index].state = PLAIT_CHECK_OPEN;
      list[index].ended_by = 0;
      list[index].actual_peer = list[index].actual_tag = PLAIT_CHECK_NONE;
      thread.ops[i] = static_cast<std::uint32_t>(index);
    }
    process(rank).threads.push_back(thread);
  }

  /// A thread that polls for the rank's last operation.
  void polls(int rank) {
    open(rank, PLAIT_CHECK_WAIT_UNKNOWN, kWaitany);
    plait_check_thread& thread = process(rank).threads.back();
    thread.sequence = 8;
    thread.progress = 5;
    thread.polls.calls = 1000;
    thread.polls.polled = 1;
    thread.polls.ops[0] = thread.ops[0];
    process(rank).polling = {true};
  }

  /// A thread that is outside MPI.
  void computes(int rank) {
    plait_check_thread thread{};
    thread.sequence = 8;
    thread.alive = 1;
    process(rank).threads.push_back(thread);
  }

  /// Makes the communicator one between these ranks and all others.
  void between(const std::vector<int>& ranks) {
    for (Process& process : job_.processes) {
      trace::Communicator& comm = process.record_comms[1];
      std::vector<int> groups[2];
      for (int rank = 0; rank < job_.world_size; ++rank)
        groups[std::count(ranks.begin(), ranks.end(), rank) > 0 ? 0 : 1].push_back(rank);
      const bool first = std::count(ranks.begin(), ranks.end(), process.rank) > 0;
      comm.name.clear();
      comm.members = trace::RankGroup(groups[first ? 0 : 1]);
      comm.remote_members = trace::RankGroup(groups[first ? 1 : 0]);
      comm.my_rank = static_cast<int>(
          std::find(comm.members.begin(), comm.members.end(), process.rank) - comm.members.begin());
    }
  }

  Process& process(int rank) { return job_.processes[static_cast<std::size_t>(rank)]; }

  void finalize_all() {
    for (Process& process : job_.processes) process.finalized = 2;
    job_.is_over = true;
  }

  const Job& job() {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      flat_.emplace_back(ops_[i].begin(), ops_[i].end());
      job_.processes[i].ops = flat_.back();
      job_.processes[i].counts = counts_[i % counts_.size()];
    }
    return job_;
  }

private:
  Job job_;
  std::vector<std::deque<plait_check_op>> ops_;
  std::deque<std::vector<plait_check_op>> flat_;
  std::vector<std::vector<std::uint64_t>> counts_ = std::vector<std::vector<std::uint64_t>>(16);
};

/// A made job, and who took part in its collectives and messages.
struct MatchedJob {
  explicit MatchedJob(MadeJob& made)
      : job(made.job()), collectives(job), partners(Messages(job).partners()) {}

  const Job& job;
  Collectives collectives;
  std::vector<std::vector<OpRef>> partners;
};

}  // namespace plait::check
