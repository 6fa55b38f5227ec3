// SPDX-License-Identifier: BSD-3-Clause
// Which MPI is measured: its launcher, its library, the probe that fits, the command to start it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launch/launcher.hpp"
#include "launch/preload_choice.hpp"

namespace plait::measure {

/// An MPI that can be measured.
struct MpiChoice {
  launch::Launcher launcher;
  launch::MpiAbi abi = launch::MpiAbi::unknown;
  std::filesystem::path probe;
  std::vector<std::string> libraries;  ///< to try in this order
};

/// Finds the MPI that `spec` names: a launcher, a folder with bin/mpiexec, or empty for the mpiexec
/// (else mpirun) of PATH.
/// @param probes  folder of the probe programs
/// @throws Error when there is none, its kind is unknown, or Plait was built without its probe.
MpiChoice choose_mpi(const std::string& spec, const std::filesystem::path& probes);

/// Paths at which the library of a launcher may lie, then its names for the dynamic linker.
/// @param launcher  path of mpiexec; its folder's parent is searched, also behind symbolic links
std::vector<std::string> library_candidates(const std::filesystem::path& launcher,
                                            launch::MpiAbi abi);

/// The command that starts `ranks` processes of the probe on this node, unbound: the probe binds
/// itself. Its arguments (plan, output) are to be appended.
std::vector<std::string> probe_command(const MpiChoice& mpi, int ranks);

/// The same on several nodes.
/// @param per_node  ranks on each; all get as many
/// @param options   words for the launcher, before its program
std::vector<std::string> probe_command(const MpiChoice& mpi, const std::vector<std::string>& nodes,
                                       int per_node, const std::vector<std::string>& options);

/// NAME=value pairs that go with it.
std::vector<std::pair<std::string, std::string>> probe_environment(const MpiChoice& mpi,
                                                                   bool as_root);

}  // namespace plait::measure
