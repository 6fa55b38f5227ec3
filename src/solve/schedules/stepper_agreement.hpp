// SPDX-License-Identifier: BSD-3-Clause
// Gathers what the ranks of a new stepper must agree on, in one collective call.
#pragma once

#include <mpi.h>

#include <vector>

#include "plait/environment.hpp"
#include "plait/schedule.hpp"
#include "solve/schedules/core_ownership.hpp"

namespace plait::solve {

/// The facts about one rank.
struct RankFacts {
  Schedule schedule;
  ThreadLevel granted = ThreadLevel::single;
  RankCores cores;
  bool has_interior = false;  ///< some own cell needs no ghost
  bool verifies = false;      ///< PLAIT_VERIFY=1 is set
};

/// The facts of every rank. Collective over `comm`; sleeps while it waits.
/// @throws CollectiveError if a rank's schedule cannot be written as text
std::vector<RankFacts> gather_facts(MPI_Comm comm, const RankFacts& own);

/// @throws CollectiveError if a rank's schedule differs from that of rank 0, or needs a higher
///         thread level than the rank was granted
void check_agreement(const std::vector<RankFacts>& facts);

/// The MPI thread level that a schedule needs with this many threads.
ThreadLevel needed_thread_level(const Schedule& schedule, int threads);

/// True if an extra thread communicates, which is also so if the team has only one thread.
bool communicates_beside_team(const Schedule& schedule, int threads);

/// The error of a schedule for which the thread level is too low.
Error missing_thread_level(const Schedule& schedule, int threads, ThreadLevel granted);

}  // namespace plait::solve
