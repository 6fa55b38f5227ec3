// SPDX-License-Identifier: BSD-3-Clause
// The MPI installations of this system, found by their launchers and libraries.
#pragma once

#include <string>
#include <vector>

#include "launch/launcher.hpp"

namespace plait::launch {

struct InstalledMpi {
  Launcher launcher;
  bool first_in_path = false;          ///< what `mpiexec` alone starts
  std::vector<std::string> libraries;  ///< libmpi.so.40, libmpi.so.12, libmpi_abi.so.1: paths
};

/// Searches PATH (also Debian's mpiexec.openmpi and mpiexec.mpich), MPI_HOME, I_MPI_ROOT, the
/// folders of LD_LIBRARY_PATH, and common prefixes. Each launcher is asked for its version; one
/// under several names is listed once.
std::vector<InstalledMpi> find_installed_mpis();

}  // namespace plait::launch
