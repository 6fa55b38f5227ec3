// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI installations of this system by their launchers and libraries.
#pragma once

#include <string>
#include <vector>

#include "launcher/launcher.hpp"

namespace plait::doctor {

struct InstalledMpi {
  launcher::Launcher launcher;
  bool first_in_path = false;          ///< what `mpiexec` alone starts
  std::vector<std::string> libraries;  ///< libmpi.so.40, libmpi.so.12, libmpi_abi.so.1: paths
};

/// Searches PATH (also Debian's mpiexec.openmpi and mpiexec.mpich), MPI_HOME, I_MPI_ROOT, the
/// folders of LD_LIBRARY_PATH, and common prefixes. Asks each launcher for its version; lists a
/// launcher with several names once.
std::vector<InstalledMpi> find_installed_mpis();

}  // namespace plait::doctor
