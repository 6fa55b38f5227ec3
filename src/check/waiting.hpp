// SPDX-License-Identifier: BSD-3-Clause
// Builds the wait-for graph from the open calls of a job and finds its deadlocks.
#pragma once

#include <optional>
#include <vector>

#include "check/collectives.hpp"
#include "check/finding.hpp"
#include "check/job.hpp"
#include "check/messages.hpp"
#include "check/wait_graph.hpp"

namespace plait::check {

/// A thread inside MPI, as an entry of WaitGraph::threads.
struct OpenCall {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;    ///< index into Process::threads
  std::uint64_t sequence = 0;  ///< of a thread that polls: plait_check_thread::progress
  bool polls = false;
  /// The operation of each clause of the graph's thread; empty in MPI_Finalize, and if a thread
  /// polls only for messages.
  std::vector<std::uint32_t> ops;
};

/// The wait-for graph of a job.
struct Waiting {
  WaitGraph graph;
  std::vector<OpenCall> calls;  ///< parallel to graph.threads
};

/// The graph. Threads that can continue: those outside MPI that do not poll, and those in a call
/// for which it is unknown what it waits for. Ranks without a known process can continue too.
Waiting waiting_of(const Job& job, const Messages& messages, const Collectives& collectives);

/// A deadlock and the calls that are stuck in it.
struct Deadlock {
  Finding finding;
  std::vector<OpenCall> calls;
};

/// Nothing while every thread may still continue, or when the job is not comparable.
std::optional<Deadlock> find_deadlock(const Job& job);

/// The open calls, if all known ranks are inside MPI or have ended and one of them is in a
/// collective whose members pass different arguments; else empty. They are stuck if they do not
/// end.
std::vector<OpenCall> differing_calls(const Job& job);

}  // namespace plait::check
