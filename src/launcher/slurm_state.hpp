// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether Slurm can be used: its commands, its controller, the job of this process.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "launcher/slurm_allocation.hpp"

namespace plait::launcher {

struct SlurmState {
  std::string srun, sbatch;            ///< their paths; empty: not in PATH
  std::string version;                 ///< "22.05.8"; empty: unknown
  bool reachable = false;              ///< a slurmctld answers
  std::string controller;              ///< the host of one that answers
  std::string problem;                 ///< why none answers; empty if one does
  std::optional<SlurmAllocation> job;  ///< in which this process runs
};

/// Asks `srun --version` and `scontrol ping`.
/// @param limit  for each of the two: without a controller they may wait for minutes
/// @returns nothing if neither srun nor sbatch is in PATH
std::optional<SlurmState> find_slurm(std::chrono::milliseconds limit = std::chrono::seconds(2));

/// "22.05.8, srun and sbatch; slurmctld answers on head; Slurm job 12: 2 nodes x 4 CPUs".
std::string slurm_text(const std::optional<SlurmState>& slurm);

/// Null if there is no Slurm.
nlohmann::json slurm_to_json(const std::optional<SlurmState>& slurm);

}  // namespace plait::launcher
