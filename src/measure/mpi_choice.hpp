// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI to measure: its launcher, its library, the matching probe, and the probe command.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launcher/launcher.hpp"
#include "run/preload_choice.hpp"

namespace plait::measure {

/// An MPI that can be measured.
struct MpiChoice {
  launcher::Launcher launcher;
  run::MpiAbi abi = run::MpiAbi::unknown;
  std::filesystem::path probe;
  std::vector<std::string> libraries;  ///< to try in this order
};

/// Finds an MPI.
/// @param spec    a launcher, a folder with bin/mpiexec, or empty for mpiexec or mpirun in PATH
/// @param probes  folder of the probe programs
/// @throws Error when there is none, its kind is unknown, or its probe is missing.
MpiChoice choose_mpi(const std::string& spec, const std::filesystem::path& probes);

/// The command that starts `ranks` processes of the probe on this node, without binding because the
/// probe binds itself. The caller appends the arguments of the probe (plan, output).
std::vector<std::string> probe_command(const MpiChoice& mpi, int ranks);

/// The same on several nodes.
/// @param per_node  ranks on each node
/// @param options   additional launcher options
std::vector<std::string> probe_command(const MpiChoice& mpi, const std::vector<std::string>& nodes,
                                       int per_node, const std::vector<std::string>& options);

/// The environment variables that the command needs, as pairs of name and value.
/// @param as_root  the effective user is root
std::vector<std::pair<std::string, std::string>> probe_environment(const MpiChoice& mpi,
                                                                   bool as_root);

}  // namespace plait::measure
