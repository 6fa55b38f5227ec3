// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of an installed, or just built, Plait lie.
#pragma once

#include <filesystem>

namespace plait {

/// Folders of this Plait. The build tree has the same shape as an install prefix.
struct InstallLayout {
  std::filesystem::path prefix;   ///< what holds bin/
  std::filesystem::path preload;  ///< libplait-{openmpi,mpich,abi}.so
  std::filesystem::path libexec;  ///< helper programs (MPI probes)
  std::filesystem::path share;    ///< report.html template, schemas, hazards
};

/// Finds the layout from /proc/self/exe; PLAIT_PREFIX in the environment overrides it.
InstallLayout install_layout();

}  // namespace plait
