// SPDX-License-Identifier: BSD-3-Clause
// Keeps a list of settings of MPI libraries with which a job hung, crashed or did not start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "launcher/plan.hpp"
#include "run/outcome.hpp"

namespace plait::run {

/// Settings that were in effect together, and the outcome of the job.
struct Quarantined {
  std::string id;                     ///< name of its file
  std::string mpi;                    ///< kind_name: "openmpi", "mpich", "intel", "slurm"
  std::string version;                ///< of that MPI
  std::string host;                   ///< from which it was started
  std::vector<std::string> settings;  ///< "NAME=value" or launcher options, ascending
  JobOutcome what;
  std::string when;                  ///< UTC, ISO 8601
  std::vector<std::string> command;  ///< that was run
};

/// The settings of a plan: environment variables as NAME=value (without OMP_*, which do not concern
/// the MPI library), Plait's waiting and transport likewise, and launcher options, each with its
/// values.
std::vector<std::string> settings_of(const launcher::Plan& plan);

/// The settings that this user has in quarantine, oldest first. Unreadable files are left out.
/// @param folder  empty: quarantine/ in the user's state folder
std::vector<Quarantined> quarantined(const std::filesystem::path& folder = {});

/// The entries that apply to a job: same MPI, version and host, and all settings of the entry are
/// among these settings, as launcher options or as environment variables.
std::vector<Quarantined> quarantined_in(const std::vector<Quarantined>& all,
                                        const launcher::Launcher& launcher,
                                        const std::vector<std::string>& settings);

/// Puts settings into quarantine, one file per entry; sets id and `when`.
/// @throws Error when the file cannot be written.
Quarantined put_into_quarantine(Quarantined entry, const std::filesystem::path& folder = {});

/// Removes an entry. @param id  as listed, or "all"
/// @return the number of removed entries. @throws Error when there is none with that id.
int forget_quarantined(const std::string& id, const std::filesystem::path& folder = {});

/// "I_MPI_SHM=off under Intel MPI 2021.18.1 crashed with SIGFPE (2026-11-22T08:00:00.000Z)".
std::string quarantine_sentence(const Quarantined& entry);

}  // namespace plait::run
