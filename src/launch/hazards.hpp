// SPDX-License-Identifier: BSD-3-Clause
// Known hazards of MPI libraries: what goes wrong in which versions, and what helps.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/launcher.hpp"

namespace plait::launch {

struct Hazard {
  std::string id;
  std::vector<std::string> mpi;  ///< as kind_name: "openmpi", "mpich", "intel"
  std::string versions;          ///< conditions that all hold: ">=5 <5.1"
  std::string what;
  std::string evidence;
  std::string remedy;
  std::string reproducer;
};

/// Reads the list (share/plait/hazards.json).
/// @throws Error when it is missing, damaged or of another version.
std::vector<Hazard> load_hazards(const std::filesystem::path& path);

/// True when a version fulfils all conditions (<, <=, >, >=, =). Numbers are compared part by part,
/// a missing part is 0: 5 < 5.0.1 < 5.1.
/// @throws Error when a condition cannot be read.
bool version_matches(const std::string& version, const std::string& conditions);

/// The hazards of one MPI. A version that is not known has none.
std::vector<Hazard> hazards_of(const std::vector<Hazard>& all, const Launcher& launcher);

}  // namespace plait::launch
