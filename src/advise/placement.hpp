// SPDX-License-Identifier: BSD-3-Clause
// Turns a placement request into a plan.
#pragma once

#include <string>
#include <vector>

#include "launcher/plan.hpp"
#include "machine/machine_file.hpp"
#include "placement/placement.hpp"

namespace plait::advise {

struct PlacementRequest {
  /// "4 ranks x 8 threads, one per L3"; see placement::kIntentGrammar. For a job of several
  /// programs, one request for each, separated by ":".
  std::string intent;
  std::vector<std::string> program;  ///< to start; one for all parts, or separated by ":", too
  std::string machine;               ///< as machine::open_machine takes it; empty: this node
  std::vector<std::string> hosts;    ///< names of the nodes
  bool of_job = false;               ///< the hosts are those of the current Slurm job
  int cpus_of_job = 0;               ///< on its smallest node; 0: unknown
};

/// The ranks of a request, placed.
struct PlacedRanks {
  machine::MachineFile machine;
  /// One for each program of the job, in rank order. Each has cores that those before it left.
  std::vector<placement::Placement> parts;
  launcher::Plan plan;
};

/// Takes the nodes of the current Slurm job, unless hosts or a machine are given.
/// @throws Error when Slurm counts different numbers of CPUs on them: a placement needs equal
/// nodes.
void take_job(PlacementRequest& options);

/// @throws Error when the intent is not understood, the machine has no room for it, or there is not
///         one program for each part.
PlacedRanks place_ranks(const PlacementRequest& options);

}  // namespace plait::advise
