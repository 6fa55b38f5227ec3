// SPDX-License-Identifier: BSD-3-Clause
// Finds the folders of an installed Plait or of a build tree.
#pragma once

#include <filesystem>

namespace plait {

/// Folders of this Plait. The build tree has the same layout as an install prefix.
struct InstallLayout {
  std::filesystem::path prefix;   ///< the parent of bin/
  std::filesystem::path preload;  ///< libplait-{openmpi,mpich,abi}.so
  std::filesystem::path libexec;  ///< helper programs (MPI probes)
  std::filesystem::path share;    ///< report.html template, schemas, hazards
};

/// Derives the layout from /proc/self/exe; PLAIT_PREFIX in the environment overrides it.
InstallLayout install_layout();

}  // namespace plait
