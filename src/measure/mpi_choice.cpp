// SPDX-License-Identifier: BSD-3-Clause
// Which MPI is measured: its launcher, its library, the probe that fits, the command to start it.
#include "measure/mpi_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::measure {
namespace {

namespace fs = std::filesystem;
using launch::LauncherKind;
using launch::MpiAbi;

std::string find_launcher(const std::string& spec) {
  if (spec.empty()) {
    for (const char* name : {"mpiexec", "mpirun"}) {
      const std::string found = find_in_path(name);
      if (!found.empty()) return found;
    }
    throw Error("MPI", "no mpiexec in PATH", "load the MPI's module or name it with --mpi", 1);
  }
  if (!fs::is_directory(spec)) {
    if (!find_in_path(spec).empty()) return spec;
    throw Error(spec, "there is no such program", "name the MPI's launcher with --mpi");
  }
  const std::string inside = (fs::path(spec) / "bin" / "mpiexec").string();
  if (find_in_path(inside).empty()) {
    throw Error(spec, "no bin/mpiexec in this folder", "name the MPI's launcher with --mpi");
  }
  return inside;
}

std::vector<std::string> library_names(MpiAbi abi) {
  if (abi == MpiAbi::openmpi) return {"libmpi.so.40"};
  if (abi == MpiAbi::standard) return {"libmpi_abi.so.1", "libmpi_abi.so.0"};
  return {"libmpi.so.12", "libmpich.so.12"};  // Debian's MPICH has the second name
}

/// Candidates that are files.
std::vector<std::string> existing(const std::vector<std::string>& candidates) {
  std::vector<std::string> files;
  for (const std::string& candidate : candidates) {
    if (candidate.front() == '/') files.push_back(candidate);
  }
  return files;
}

}  // namespace

std::vector<std::string> library_candidates(const fs::path& launcher, MpiAbi abi) {
  const std::vector<std::string> names = library_names(abi);
  std::error_code error;
  const fs::path real = fs::canonical(launcher, error);
  std::vector<std::string> candidates;
  for (const fs::path& start : {fs::absolute(launcher, error), real}) {
    const fs::path prefix = start.parent_path().parent_path();
    for (const char* folder : {"lib", "lib64", "lib/release", "lib/x86_64-linux-gnu",
                               "lib/aarch64-linux-gnu", "lib/powerpc64le-linux-gnu"}) {
      for (const std::string& name : names) {
        const std::string file = (prefix / folder / name).string();
        const bool known =
            std::find(candidates.begin(), candidates.end(), file) != candidates.end();
        if (!known && fs::exists(file, error)) candidates.push_back(file);
      }
    }
  }
  candidates.insert(candidates.end(), names.begin(), names.end());
  return candidates;
}

MpiChoice choose_mpi(const std::string& spec, const fs::path& probes) {
  MpiChoice choice;
  const std::string launcher = find_launcher(spec);
  choice.launcher = launch::identify_launcher(launcher);
  if (choice.launcher.path.empty()) choice.launcher.path = find_in_path(launcher);
  switch (choice.launcher.kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      choice.abi = MpiAbi::openmpi;
      break;
    case LauncherKind::mpich:
    case LauncherKind::intel:
      choice.abi = MpiAbi::mpich;
      break;
    case LauncherKind::slurm:
      throw Error(launcher, "srun does not say which MPI it starts",
                  "name the mpiexec of that MPI with --mpi", 2);
    case LauncherKind::none:
      throw Error(launcher, "is no MPI launcher that Plait knows",
                  "name an mpiexec of Open MPI, MPICH or Intel MPI with --mpi", 2);
  }
  choice.libraries = library_candidates(choice.launcher.path, choice.abi);
  // An MPI that comes with the standard ABI's library only.
  const auto standard = library_candidates(choice.launcher.path, MpiAbi::standard);
  if (existing(choice.libraries).empty() && !existing(standard).empty()) {
    choice.abi = MpiAbi::standard;
    choice.libraries = standard;
  }
  choice.probe = probes / fmt::format("plait-probe-{}", launch::abi_name(choice.abi));
  if (!fs::exists(choice.probe)) {
    throw Error(launcher,
                fmt::format("this Plait has no probe for its ABI ({} is missing)",
                            choice.probe.filename().string()),
                "build Plait where the headers of this MPI are installed", 1);
  }
  return choice;
}

std::vector<std::string> probe_command(const MpiChoice& mpi, int ranks) {
  const std::string count = std::to_string(ranks);
  std::vector<std::string> command{mpi.launcher.path, "-n", count};
  const auto add = [&](std::initializer_list<std::string> words) {
    command.insert(command.end(), words);
  };
  switch (mpi.launcher.kind) {
    case LauncherKind::openmpi4:
      add({"--host", "localhost:" + count, "--bind-to", "none", "--oversubscribe", "--mca",
           "mpi_yield_when_idle", "0"});
      break;
    case LauncherKind::openmpi5:
      add({"--host", "localhost:" + count, "--bind-to", "none", "--map-by", ":OVERSUBSCRIBE"});
      break;
    case LauncherKind::mpich:
      add({"-launcher", "fork", "-hosts", "localhost", "-bind-to", "none"});
      break;
    case LauncherKind::intel:
      add({"-launcher", "fork", "-hosts", "localhost"});
      break;
    case LauncherKind::slurm:
    case LauncherKind::none:
      break;
  }
  add({mpi.probe.string()});
  return command;
}

std::vector<std::string> probe_command(const MpiChoice& mpi, const std::vector<std::string>& nodes,
                                       int per_node, const std::vector<std::string>& options) {
  const int ranks = static_cast<int>(nodes.size()) * per_node;
  std::vector<std::string> command{mpi.launcher.path, "-n", std::to_string(ranks)};
  const auto add = [&](std::initializer_list<std::string> words) {
    command.insert(command.end(), words);
  };
  std::vector<std::string> slots;
  for (const std::string& node : nodes) slots.push_back(fmt::format("{}:{}", node, per_node));
  const std::string hosts = fmt::format("{}", fmt::join(slots, ","));
  switch (mpi.launcher.kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      add({"--host", hosts, "--map-by", "slot", "--bind-to", "none"});
      break;
    case LauncherKind::mpich:
      add({"-hosts", hosts, "-bind-to", "none"});
      break;
    case LauncherKind::intel:
      add({"-hosts", fmt::format("{}", fmt::join(nodes, ",")), "-ppn", std::to_string(per_node)});
      break;
    case LauncherKind::slurm:
    case LauncherKind::none:
      break;
  }
  command.insert(command.end(), options.begin(), options.end());
  add({mpi.probe.string()});
  return command;
}

std::vector<std::pair<std::string, std::string>> probe_environment(const MpiChoice& mpi,
                                                                   bool as_root) {
  if (mpi.launcher.kind == LauncherKind::intel) return {{"I_MPI_PIN", "0"}};
  if (mpi.abi != MpiAbi::openmpi || !as_root) return {};
  // Open MPI asks root to confirm; that a user measures his node as root is his decision already.
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
          {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
}

}  // namespace plait::measure
