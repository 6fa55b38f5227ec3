// SPDX-License-Identifier: BSD-3-Clause
// Recognizes launchers by their names and by what they print for --version.
#include "launcher/launcher.hpp"

#include <array>
#include <chrono>
#include <filesystem>

#include "base/subprocess.hpp"
#include "launcher/launcher_traits.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

constexpr std::chrono::seconds kVersionLimit{10};

std::string file_name(const std::string& command) {
  return std::filesystem::path(command).filename().string();
}

}  // namespace

Launcher identify_version_text(const std::string& name, const std::string& text) {
  Launcher launcher;
  launcher.name = name;
  for (const LauncherTraits* known : known_launchers()) {
    if (const auto version = known->version_in(text)) {
      launcher.version = *version;
      launcher.kind = known->facts().kind;
      break;
    }
  }
  return launcher;
}

bool is_launcher_name(const std::string& command) {
  static const std::array<std::string, 5> kNames{"mpiexec", "mpirun", "orterun", "prterun", "srun"};
  const std::string name = file_name(command);
  for (const std::string& known : kNames) {
    if (name == known || name.compare(0, known.size() + 1, known + ".") == 0 ||
        name.compare(0, known.size() + 1, known + "-") == 0) {
      return true;
    }
  }
  return false;
}

Launcher identify_launcher(const std::string& command) {
  if (!is_launcher_name(command)) return {};
  const std::string path = find_in_path(command);
  if (path.empty()) {
    throw Error(command, "launcher not found",
                "load the MPI module, or give the path of its mpiexec (plait doctor lists them)");
  }
  // Without these, Open MPI's launchers refuse even --version to root.
  const std::vector<std::pair<std::string, std::string>> root{
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  const CommandResult said = run_command({path, "--version"}, kVersionLimit, {}, root);
  Launcher launcher = identify_version_text(command, said.out + said.err);
  launcher.path = path;
  if (launcher.kind == LauncherKind::none) {
    throw Error(
        command,
        said.timed_out
            ? "did not answer --version within 10 s"
            : "unknown launcher (Plait knows those of Open MPI, MPICH, Intel MPI and Slurm)",
        "start Plait within it: " + command + " ... plait run ./app");
  }
  return launcher;
}

}  // namespace plait::launcher
