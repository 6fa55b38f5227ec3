// SPDX-License-Identifier: BSD-3-Clause
// Settings of an MPI library that hung, crashed or stopped a job: kept, so that none is met twice.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/ending.hpp"
#include "launch/launcher.hpp"
#include "launch/plan.hpp"

namespace plait::launch {

/// Settings that were in force together, with what became of the job.
struct Quarantined {
  std::string id;                     ///< of its file
  std::string mpi;                    ///< kind_name: "openmpi", "mpich", "intel", "slurm"
  std::string version;                ///< of that MPI
  std::string host;                   ///< from which it was started
  std::vector<std::string> settings;  ///< "NAME=value" or launcher options, ascending
  JobEnding what;
  std::string when;                  ///< UTC, ISO 8601
  std::vector<std::string> command;  ///< that was run
};

/// The settings that a plan makes: environment variables as NAME=value (those of OpenMP apart,
/// which are the program's), launcher options, an option with its values as one.
std::vector<std::string> settings_of(const Plan& plan);

/// The settings in quarantine of this user, in the order in which they came. Files that cannot be
/// read are left out.
/// @param folder  empty: quarantine/ in the user's state folder
std::vector<Quarantined> quarantined(const std::filesystem::path& folder = {});

/// Those of them that hold for a job: the same MPI, version and host, and all its settings among
/// these, as launcher options or as environment variables.
std::vector<Quarantined> quarantined_in(const std::vector<Quarantined>& all,
                                        const Launcher& launcher,
                                        const std::vector<std::string>& settings);

/// Puts settings into quarantine, each entry in a file of its own; id and `when` are filled in.
/// @throws Error when the file cannot be written.
Quarantined put_into_quarantine(Quarantined entry, const std::filesystem::path& folder = {});

/// Lets an entry out. @param id  as listed, or "all"
/// @return how many went. @throws Error when there is none of that id.
int forget_quarantined(const std::string& id, const std::filesystem::path& folder = {});

/// "I_MPI_SHM=off under Intel MPI 2021.18.1 crashed with SIGFPE (2026-11-22T08:00:00.000Z)".
std::string quarantine_sentence(const Quarantined& entry);

}  // namespace plait::launch
