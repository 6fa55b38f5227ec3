// SPDX-License-Identifier: BSD-3-Clause
// Settings that plait tune --platform has found, by the machine and the job that they are for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "launcher/plan.hpp"
#include "machine/topology.hpp"

namespace plait::advise {

/// A job as far as settings depend on it.
struct TunedFor {
  std::string machine;      ///< of each node: "Model: 2 packages, 64 cores, 128 hardware threads"
  std::string mpi;          ///< as launcher::kind_name
  std::string mpi_version;  ///< as its launcher says
  std::string fabric;       ///< "shared memory" on one node, else "tcp" or adapters
  int nodes = 1;
  int ranks = 0;
  int ranks_per_node = 0;  ///< on the fullest node
  bool operator==(const TunedFor&) const = default;
};

/// What was found for a job.
struct TunedSettings {
  TunedFor made_for;
  std::string created;                 ///< UTC, ISO 8601
  std::string host;                    ///< on which it was measured
  std::optional<launcher::Plan> plan;  ///< empty: nothing was faster than the defaults
  std::vector<std::string> findings;   ///< sentences: what was found, and by how much it is faster
  std::filesystem::path folder;        ///< set when it was read
};

/// A description of this machine by which another one is recognized.
/// @param model  of its processor
std::string machine_name(const machine::Topology& topology, const std::string& model);

/// A job on this machine.
TunedFor job_on(const launcher::Launcher& launcher, int nodes, int ranks);

/// The job that a command starts.
/// @throws Error when the command does not say how many ranks and nodes there are.
TunedFor job_of(const launcher::LaunchCommand& command);

/// "Open MPI 4.1.4, 2 ranks on 1 node".
std::string job_text(const TunedFor& job);

/// What a plan sets, one line for each: "OMPI_MCA_btl_vader_eager_limit=16384", "--wait automatic".
std::vector<std::string> settings_lines(const launcher::Plan& plan);

/// Stores settings in place of older ones for the same job.
/// @param folder  empty: tuned/ in the user's data folder
/// @return the folder of the settings, which plait apply takes if they have a plan
/// @throws Error when it cannot be written.
std::filesystem::path store_settings(const TunedSettings& settings,
                                     const std::filesystem::path& folder = {});

/// Those in one folder. @throws Error when they are missing, damaged or of another version.
TunedSettings load_settings(const std::filesystem::path& folder);

/// All that are stored. What cannot be read is left out.
std::vector<TunedSettings> stored_settings(const std::filesystem::path& folder = {});

/// The ones that were made for a job; nothing if there are none.
std::optional<TunedSettings> settings_for(const TunedFor& job,
                                          const std::vector<TunedSettings>& all);

/// The same.
/// @throws Error when there are none. It names how those that come nearest differ.
TunedSettings require_settings(const TunedFor& job, const std::vector<TunedSettings>& all);

}  // namespace plait::advise
