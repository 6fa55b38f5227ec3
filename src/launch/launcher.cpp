// SPDX-License-Identifier: BSD-3-Clause
// Recognizes launchers by their name and by what they say of their version.
#include "launch/launcher.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <regex>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::launch {
namespace {

constexpr std::chrono::seconds kVersionLimit{10};

std::string file_name(const std::string& command) {
  return std::filesystem::path(command).filename().string();
}

std::string first_match(const std::string& text, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : "";
}

}  // namespace

std::string kind_name(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      return "openmpi";
    case LauncherKind::mpich:
      return "mpich";
    case LauncherKind::intel:
      return "intel";
    case LauncherKind::slurm:
      return "slurm";
    case LauncherKind::none:
      break;
  }
  return "";
}

LauncherKind kind_of(const std::string& name, const std::string& version) {
  if (name == "openmpi") {
    // Open MPI 5 replaced ORTE's launcher by PRRTE's; options and their meaning changed with it.
    const bool old = !version.empty() && std::atoi(version.c_str()) < 5;
    return old ? LauncherKind::openmpi4 : LauncherKind::openmpi5;
  }
  if (name == "mpich") return LauncherKind::mpich;
  if (name == "intel") return LauncherKind::intel;
  if (name == "slurm") return LauncherKind::slurm;
  return LauncherKind::none;
}

Launcher identify_version_text(const std::string& name, const std::string& text) {
  Launcher launcher;
  launcher.name = name;
  const auto is = [&](const char* kind, const std::string& version) {
    launcher.version = version;
    launcher.kind = kind_of(kind, version);
    return launcher;
  };
  if (text.find("Intel(R) MPI Library") != text.npos) {
    return is("intel", first_match(text, R"(Version ([0-9][0-9.]*))"));
  }
  if (text.find("HYDRA") != text.npos) {
    return is("mpich", first_match(text, R"(Version:\s+([0-9][0-9a-z.]*))"));
  }
  if (text.find("(OpenRTE)") != text.npos || text.find("(Open MPI)") != text.npos) {
    return is("openmpi", first_match(text, R"(\)\s+([0-9][0-9a-z.]*))"));
  }
  // PRRTE under its own name: Open MPI 5's launcher, whose own version it does not know.
  if (text.find("prrte") != text.npos || text.find("PRRTE") != text.npos ||
      text.find("help-prterun") != text.npos) {
    return is("openmpi", "");
  }
  if (const std::string slurm = first_match(text, R"(slurm[a-z-]* ([0-9][0-9.]*))");
      !slurm.empty()) {
    return is("slurm", slurm);
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
  // Open MPI's launchers refuse even --version to root without this.
  const std::vector<std::pair<std::string, std::string>> root{
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
      {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
  const CommandResult said = run_command({path, "--version"}, kVersionLimit, {}, root);
  Launcher launcher = identify_version_text(command, said.out + said.err);
  launcher.path = path;
  if (launcher.kind == LauncherKind::none) {
    throw Error(command,
                said.timed_out ? "did not answer --version within 10 s"
                               : "is no launcher that Plait knows (Open MPI, MPICH, Intel MPI, "
                                 "Slurm)",
                "start Plait inside it: " + command + " ... plait run ./app");
  }
  return launcher;
}

}  // namespace plait::launch
