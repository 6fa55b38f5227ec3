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
  std::string intent;   ///< "4 ranks x 8 threads, one an L3"; see placement::kIntentGrammar
  std::string machine;  ///< as machine::open_machine takes it; empty: this node
  std::vector<std::string> hosts;  ///< names of the nodes
  bool of_job = false;             ///< the hosts are those of the current Slurm job
  int cpus_of_job = 0;             ///< on its smallest node; 0: unknown
};

/// The ranks of a request, placed.
struct PlacedRanks {
  machine::MachineFile machine;
  placement::Placement placement;
  launcher::Plan plan;
};

/// Takes the nodes of the current Slurm job, unless hosts or a machine are given.
void take_job(PlacementRequest& options);

/// @throws Error when the intent is not understood or the machine has no room for it.
PlacedRanks place_ranks(const PlacementRequest& options);

}  // namespace plait::advise
