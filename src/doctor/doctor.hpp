// SPDX-License-Identifier: BSD-3-Clause
// Examines this system: what Plait can use, and what prevents it from measuring.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "doctor/hazards.hpp"
#include "doctor/installed_mpi.hpp"
#include "doctor/rights.hpp"
#include "launcher/slurm_state.hpp"
#include "run/quarantine.hpp"
#include "run/runtimes.hpp"

namespace plait::doctor {

struct Diagnosis {
  std::string plait_version;
  std::string host;
  std::string hwloc_version;
  int allowed_cores = 0;
  std::vector<InstalledMpi> mpis;
  std::optional<launcher::SlurmState> slurm;
  std::vector<run::OmpRuntime> omp_runtimes;
  Rights rights;
  std::vector<std::string> preload_objects;  ///< ABIs: "openmpi", "mpich", "abi"
  bool report_page = false;
  std::filesystem::path stored_machine;  ///< the measured machine file of this host; empty: none
  struct KnownHazard {
    Hazard hazard;
    std::string found;  ///< "Open MPI 4.1.4"
  };
  std::vector<KnownHazard> hazards;          ///< of the MPIs found
  std::vector<run::Quarantined> quarantine;  ///< settings with which jobs of this user failed
};

/// Examines this system. Starts launchers only with --version. Takes well below a second, or some
/// seconds if Slurm does not answer.
Diagnosis diagnose();

/// Schema "plait-doctor", version 1.
nlohmann::json diagnosis_to_json(const Diagnosis& diagnosis);

/// One sentence: whether programs can be run and measured, or what prevents it.
std::string diagnosis_verdict(const Diagnosis& diagnosis);

/// The verdict and a table, at most 80 columns wide (paths may be wider).
std::string diagnosis_text(const Diagnosis& diagnosis);

}  // namespace plait::doctor
