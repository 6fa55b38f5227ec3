// SPDX-License-Identifier: BSD-3-Clause
// The part of a measurement that runs over MPI: plans the probe, starts it, reads what it found.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "machine/topology.hpp"
#include "measure/mpi_choice.hpp"
#include "measure/path_jobs.hpp"
#include "measure/probe_output.hpp"
#include "measure/probe_plan.hpp"
#include "measure/rounds.hpp"

namespace plait::measure {

/// What a step of the plan belongs to.
struct StepOrigin {
  std::size_t job = 0;       ///< index of the PathJob
  machine::CorePair pair{};  ///< measured one by one
  int pairs_at_once = 1;
};

/// A plan and where its steps come from.
struct MpiPlan {
  ProbePlan probe;
  std::vector<StepOrigin> origins;  ///< one for each step
};

/// What the MPI part shall do.
struct MpiRequest {
  double seconds = 10;  ///< for all steps together
  bool off_cache = false;
  std::uint64_t off_cache_bytes = 0;  ///< size of a rotating buffer, beyond the last-level cache
  RoundsPlan rounds;                  ///< width and rounds; its seconds are not used
};

/// Plans the steps: ping-pong and ping-ping of each pair, off-cache ping-pong on request, a
/// message's cost for the cores, several pairs at once. Ranks are the hardware threads that occur,
/// in rising order.
MpiPlan plan_mpi(const machine::Topology& topology, const std::vector<PathJob>& jobs,
                 const MpiRequest& request, const std::vector<std::string>& libraries);

/// What became of it.
struct MpiOutcome {
  ProbeOutput output;
  std::string failure;  ///< why it is missing or incomplete; empty when all is there
  bool hung = false;    ///< it was killed after the limit
};

/// How the probe is started.
struct ProbeStart {
  std::vector<std::string> command;  ///< the launcher's words and the probe's name
  std::vector<std::pair<std::string, std::string>> environment;  ///< of the launcher
  std::filesystem::path scratch_in;  ///< folder for the plan and the results; all ranks see it
};

/// Starts the probe; its whole process group is killed after `limit_s`. What was measured before a
/// failure is kept.
MpiOutcome run_probe(const ProbeStart& start, const ProbePlan& plan, double limit_s);

/// The same on this node.
MpiOutcome run_mpi(const MpiChoice& mpi, const ProbePlan& plan, double limit_s);

}  // namespace plait::measure
