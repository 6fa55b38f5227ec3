// SPDX-License-Identifier: BSD-3-Clause
// What Plait sees of this system, and what is in its way.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "launch/hazards.hpp"
#include "launch/installed_mpi.hpp"
#include "launch/quarantine.hpp"
#include "launch/rights.hpp"
#include "launch/runtimes.hpp"
#include "launch/slurm_state.hpp"

namespace plait::launch {

struct Diagnosis {
  std::string plait_version;
  std::string host;
  std::string hwloc_version;
  int allowed_cores = 0;
  std::vector<InstalledMpi> mpis;
  std::optional<SlurmState> slurm;
  std::vector<OmpRuntime> omp_runtimes;
  Rights rights;
  std::vector<std::string> preload_objects;  ///< ABIs: "openmpi", "mpich", "abi"
  bool report_page = false;
  std::filesystem::path stored_machine;  ///< measured machine file of this host; empty: none
  struct KnownHazard {
    Hazard hazard;
    std::string found;  ///< "Open MPI 4.1.4"
  };
  std::vector<KnownHazard> hazards;     ///< of the MPIs found
  std::vector<Quarantined> quarantine;  ///< settings that ended jobs of this user
};

/// Looks at this system. Starts launchers with --version only; takes well below a
/// second, or some seconds where Slurm does not answer.
Diagnosis diagnose();

/// Schema "plait-doctor", version 1.
nlohmann::json diagnosis_to_json(const Diagnosis& diagnosis);

/// One sentence: whether programs can be run and measured, and what is in the way.
std::string diagnosis_verdict(const Diagnosis& diagnosis);

/// The verdict and a table, at most 80 columns wide (paths may be wider).
std::string diagnosis_text(const Diagnosis& diagnosis);

/// "Open MPI 4.1.4".
std::string mpi_title(const Launcher& launcher);

}  // namespace plait::launch
