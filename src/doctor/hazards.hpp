// SPDX-License-Identifier: BSD-3-Clause
// Reads the list of known hazards of MPI libraries: what fails in which versions, and the remedy.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"

namespace plait::doctor {

struct Hazard {
  std::string id;
  std::vector<std::string> mpi;  ///< as kind_name: "openmpi", "mpich", "intel"
  std::string versions;          ///< conditions, all of which must be true: ">=5 <5.1"
  std::string what;
  std::string evidence;
  std::string remedy;
  std::string reproducer;
  std::vector<std::string> settings;  ///< NAME=VALUE that cause it, * for any value; empty: others
};

/// Reads the list (share/plait/hazards.json).
/// @throws Error when it is missing, damaged or of another version.
std::vector<Hazard> load_hazards(const std::filesystem::path& path);

/// True when a version fulfils all conditions (<, <=, >, >=, =). Versions are compared part by
/// part; a missing part is 0: 5 < 5.0.1 < 5.1.
/// @throws Error when a condition cannot be parsed.
bool version_matches(const std::string& version, const std::string& conditions);

/// The hazards of one MPI; none if its version is unknown.
std::vector<Hazard> hazards_of(const std::vector<Hazard>& all, const launcher::Launcher& launcher);

/// The hazard that a setting causes; null if none of them names it.
const Hazard* hazard_of_setting(const std::vector<Hazard>& hazards, const std::string& name,
                                const std::string& value);

}  // namespace plait::doctor
