// SPDX-License-Identifier: BSD-3-Clause
// The MPI part of a measurement: plans the probe, runs it, reads its results.
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

/// The part of the measurement to which a step of the plan belongs.
struct StepOrigin {
  std::size_t job = 0;       ///< index of the PathJob
  machine::CorePair pair{};  ///< the pair, if only one is measured
  int pairs_at_once = 1;
};

/// A plan and the origins of its steps.
struct MpiPlan {
  ProbePlan probe;
  std::vector<StepOrigin> origins;  ///< one for each step
};

/// The options of the MPI part.
struct MpiRequest {
  double seconds = 10;  ///< for all steps
  bool off_cache = false;
  std::uint64_t off_cache_bytes = 0;  ///< size of a buffer larger than the last-level cache
  RoundsPlan rounds;                  ///< width and rounds; `seconds` is not used
};

/// Plans the steps: ping-pong and ping-ping of each pair, off-cache ping-pong if requested, the CPU
/// time of messages, and several pairs at once. There is one rank for each hardware thread that
/// occurs in a pair, in ascending order.
/// @param libraries  MPI libraries for the probe to try
MpiPlan plan_mpi(const machine::Topology& topology, const std::vector<PathJob>& jobs,
                 const MpiRequest& request, const std::vector<std::string>& libraries);

/// The outcome of a run of the probe.
struct MpiOutcome {
  ProbeOutput output;
  std::string failure;  ///< why results are missing; empty if they are complete
  bool hung = false;    ///< the run was killed after the limit
};

/// How to start the probe.
struct ProbeStart {
  std::vector<std::string> command;  ///< the launcher, its options and the probe
  std::vector<std::pair<std::string, std::string>> environment;  ///< added for the launcher
  std::filesystem::path scratch_in;  ///< folder for plan and results, visible to all ranks
};

/// Runs the probe; its whole process group is killed after `limit_s` seconds. Results from before a
/// failure are kept.
MpiOutcome run_probe(const ProbeStart& start, const ProbePlan& plan, double limit_s);

/// The same on this node.
MpiOutcome run_mpi(const MpiChoice& mpi, const ProbePlan& plan, double limit_s);

}  // namespace plait::measure
