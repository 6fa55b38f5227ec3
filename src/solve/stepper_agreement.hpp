// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a stepper tell each other when it is made, in one collective call.
#pragma once

#include <mpi.h>

#include <vector>

#include "plait/environment.hpp"
#include "plait/schedule.hpp"
#include "solve/core_ownership.hpp"

namespace plait::solve {

/// Of one rank.
struct RankFacts {
  Schedule schedule;
  ThreadLevel granted = ThreadLevel::single;
  RankCores cores;
  bool has_interior = false;  ///< some own cell needs no ghost
  bool verifies = false;      ///< its environment asks for verify mode
};

/// The facts of every rank. Collective over `comm`; waits without keeping a core busy.
/// @throws CollectiveError when a rank's schedule is none that could be written as text.
std::vector<RankFacts> gather_facts(MPI_Comm comm, const RankFacts& own);

/// Throws, on every rank alike, when a rank's schedule is unlike that of rank 0, or needs a higher
/// thread level than the rank was granted.
void check_agreement(const std::vector<RankFacts>& facts);

/// The MPI thread level that a schedule needs with that many threads.
ThreadLevel needed_thread_level(const Schedule& schedule, int threads);

/// Whether a thread beside the team communicates: also where the team has one thread only.
bool communicates_beside_team(const Schedule& schedule, int threads);

/// The error of a schedule whose thread level is missing.
Error missing_thread_level(const Schedule& schedule, int threads, ThreadLevel granted);

}  // namespace plait::solve
