// SPDX-License-Identifier: BSD-3-Clause
// Whether Slurm can be used from here: its commands, its controller, the job around this process.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "launch/slurm_allocation.hpp"

namespace plait::launch {

struct SlurmState {
  std::string srun, sbatch;            ///< their paths; empty: not in PATH
  std::string version;                 ///< "22.05.8"; empty: it could not be asked
  bool reachable = false;              ///< a slurmctld answers
  std::string controller;              ///< the host of one that answers
  std::string problem;                 ///< why none does; empty where one does
  std::optional<SlurmAllocation> job;  ///< in which this process runs
};

/// Asks `srun --version` and `scontrol ping`.
/// @param limit  for each of the two: a controller that is gone may let them wait for minutes
/// @returns nothing where neither srun nor sbatch is in PATH
std::optional<SlurmState> find_slurm(std::chrono::milliseconds limit = std::chrono::seconds(2));

/// "22.05.8, srun and sbatch; slurmctld answers on head; Slurm job 12: 2 nodes x 4 CPUs".
std::string slurm_text(const std::optional<SlurmState>& slurm);

/// Null where there is none.
nlohmann::json slurm_to_json(const std::optional<SlurmState>& slurm);

}  // namespace plait::launch
