// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI to measure: its launcher, its library, the matching probe, and the probe command.
#include "measure/mpi_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/failure.hpp"
#include "base/subprocess.hpp"
#include "launcher/launcher_traits.hpp"
#include "plait/error.hpp"
#include "run/mpi_libraries.hpp"

namespace plait::measure {
namespace {

namespace fs = std::filesystem;
using launcher::LauncherKind;
using run::MpiAbi;

std::string find_launcher(const std::string& spec) {
  if (spec.empty()) {
    for (const char* name : {"mpiexec", "mpirun"}) {
      const std::string found = find_in_path(name);
      if (!found.empty()) return found;
    }
    throw Failure("MPI", "no mpiexec in PATH", "load an MPI module or give --mpi");
  }
  if (!fs::is_directory(spec)) {
    if (!find_in_path(spec).empty()) return spec;
    throw Error(spec, "no such program", "give the launcher of an MPI with --mpi");
  }
  const std::string inside = (fs::path(spec) / "bin" / "mpiexec").string();
  if (find_in_path(inside).empty()) {
    throw Error(spec, "no bin/mpiexec in this folder", "give the launcher of an MPI with --mpi");
  }
  return inside;
}

/// The candidates that are paths of existing files, not names for the dynamic linker.
std::vector<std::string> existing(const std::vector<std::string>& candidates) {
  std::vector<std::string> files;
  for (const std::string& candidate : candidates) {
    if (candidate.front() == '/') files.push_back(candidate);
  }
  return files;
}

}  // namespace

MpiChoice choose_mpi(const std::string& spec, const fs::path& probes) {
  MpiChoice choice;
  const std::string launcher = find_launcher(spec);
  choice.launcher = launcher::identify_launcher(launcher);
  if (choice.launcher.path.empty()) choice.launcher.path = find_in_path(launcher);
  choice.abi = run::abi_of_launcher(choice.launcher.kind);
  if (choice.launcher.kind == LauncherKind::none) {
    throw Error(launcher, "not a known MPI launcher",
                "name an mpiexec of Open MPI, MPICH or Intel MPI with --mpi");
  }
  if (choice.abi == MpiAbi::unknown) {
    throw Error(launcher, "srun does not say which MPI it starts",
                "name the mpiexec of that MPI with --mpi");
  }
  choice.libraries = run::library_candidates(choice.launcher.path, choice.abi);
  // An MPI that only has the library of the standard ABI.
  const auto standard = run::library_candidates(choice.launcher.path, MpiAbi::standard);
  if (existing(choice.libraries).empty() && !existing(standard).empty()) {
    choice.abi = MpiAbi::standard;
    choice.libraries = standard;
  }
  choice.probe = probes / fmt::format("plait-probe-{}", run::abi_name(choice.abi));
  if (!fs::exists(choice.probe)) {
    throw Failure(
        launcher,
        fmt::format("the probe for this MPI was not found ({})", choice.probe.filename().string()),
        "install Plait again");
  }
  return choice;
}

std::vector<std::string> probe_command(const MpiChoice& mpi, int ranks) {
  std::vector<std::string> command{mpi.launcher.path, "-n", std::to_string(ranks)};
  const auto options = launcher::traits_of(mpi.launcher.kind).unbound_here(ranks);
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(mpi.probe.string());
  return command;
}

std::vector<std::string> probe_command(const MpiChoice& mpi, const std::vector<std::string>& nodes,
                                       int per_node, const std::vector<std::string>& options) {
  const int ranks = static_cast<int>(nodes.size()) * per_node;
  std::vector<std::string> command{mpi.launcher.path, "-n", std::to_string(ranks)};
  const auto unbound = launcher::traits_of(mpi.launcher.kind).unbound_on(nodes, per_node);
  command.insert(command.end(), unbound.begin(), unbound.end());
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(mpi.probe.string());
  return command;
}

std::vector<std::pair<std::string, std::string>> probe_environment(const MpiChoice& mpi,
                                                                   bool as_root) {
  if (mpi.launcher.kind == LauncherKind::intel) return {{"I_MPI_PIN", "0"}};
  if (mpi.abi != MpiAbi::openmpi || !as_root) return {};
  // Open MPI asks root for confirmation, but whoever runs plait measure as root has already
  // decided.
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
          {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
}

}  // namespace plait::measure
