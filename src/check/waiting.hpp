// SPDX-License-Identifier: BSD-3-Clause
// From the open calls of a job to its wait-for graph, and to the deadlocks in it.
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
  std::uint32_t thread = 0;  ///< index into Process::threads
  std::uint64_t sequence = 0;
  /// The operation behind each clause of the graph's thread; none in MPI_Finalize.
  std::vector<std::uint32_t> ops;
};

struct Waiting {
  WaitGraph graph;
  std::vector<OpenCall> calls;  ///< as graph.threads
};

/// The graph. A thread outside MPI, or in a call of which it is not known for what it waits, can
/// go on; so can a rank of which no process is known.
Waiting waiting_of(const Job& job, const Messages& messages, const Collectives& collectives);

/// A deadlock that the job cannot leave, and the calls that are stuck in it.
struct Deadlock {
  Finding finding;
  std::vector<OpenCall> calls;
};

/// Nothing while each thread may still go on.
std::optional<Deadlock> find_deadlock(const Job& job);

/// Calls that are open while all known ranks are inside MPI or have ended, and one of them is in a
/// collective whose members differ: they are taken for stuck when they do not end.
std::vector<OpenCall> differing_calls(const Job& job);

}  // namespace plait::check
