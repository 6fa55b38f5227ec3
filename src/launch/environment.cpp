// SPDX-License-Identifier: BSD-3-Clause
// Environment variables: what a run directory may keep of them, and how they reach all ranks.
#include "launch/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "plait/error.hpp"

namespace plait::launch {
namespace {

/// The words of a command by which Open MPI may start ranks on other nodes.
bool names_hosts(const LaunchCommand& command) {
  static constexpr std::array<std::string_view, 8> kOptions{
      "H",        "host",         "hostfile", "machinefile", "default-hostfile",
      "add-host", "add-hostfile", "rankfile"};
  return std::any_of(command.argv.begin(), command.argv.end(), [](const std::string& word) {
    if (word.empty() || word[0] != '-') return false;
    const std::string_view name =
        std::string_view(word).substr(std::min(word.find_first_not_of('-'), word.size()));
    return std::find(kOptions.begin(), kOptions.end(), name.substr(0, name.find('='))) !=
           kOptions.end();
  });
}

/// A resource manager from which Open MPI takes its nodes.
bool in_allocation() {
  static constexpr std::array<const char*, 5> kNames{
      "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE", "OMPI_MCA_orte_default_hostfile"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

bool restricts_environment(const LaunchCommand& command) {
  return std::any_of(command.argv.begin(), command.argv.end(), [](const std::string& word) {
    return word == "-genvnone" || word == "-genvlist" || word == "-envnone" || word == "-envlist" ||
           word == "--genvnone" || word == "--genvlist";
  });
}

/// srun's --export list with these variables added.
std::string extended_export(const std::string& word, const Assignments& variables) {
  const std::string list = word.substr(word.find('=') + 1);
  if (list == "NONE" || list == "NIL") {
    throw Error("srun " + word, "lets no environment through, so nothing reaches the ranks",
                "leave it out");
  }
  std::string result = word;
  for (const auto& [name, value] : variables) result += "," + name;
  return result;
}

std::vector<std::string> export_options(LauncherKind kind, const Assignments& variables) {
  std::vector<std::string> options;
  for (const auto& [name, value] : variables) {
    if (kind == LauncherKind::mpich || kind == LauncherKind::intel) {
      options.insert(options.end(), {"-genv", name, value});
    } else {
      options.insert(options.end(), {"-x", name});
    }
  }
  return options;
}

}  // namespace

bool is_secret_name(const std::string& name) {
  static constexpr std::array<std::string_view, 8> kParts{
      "TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "CREDENTIAL", "AUTH", "COOKIE"};
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return upper.find(part) != upper.npos; });
}

std::map<std::string, std::string> masked_environment() {
  std::map<std::string, std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == text.npos) continue;
    const std::string name = text.substr(0, equals);
    result[name] = is_secret_name(name) ? "(masked)" : text.substr(equals + 1);
  }
  return result;
}

std::string environment_value(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? value : "";
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::string extended_preload(const std::string& before, const std::vector<std::string>& entries) {
  std::string result = before;
  for (const std::string& entry : entries) {
    if ((":" + result + ":").find(":" + entry + ":") != std::string::npos) continue;
    result += (result.empty() ? "" : ":") + entry;
  }
  return result;
}

std::vector<std::string> exporting_command(const LaunchCommand& command,
                                           const Assignments& variables) {
  const LauncherKind kind = command.launcher.kind;
  std::vector<std::string> result = command.argv;
  if (kind == LauncherKind::slurm) {
    const std::size_t end = command.applications.front().index;
    for (std::size_t at = command.launcher_index + 1; at < end; ++at) {
      if (result[at].compare(0, 9, "--export=") == 0) {
        result[at] = extended_export(result[at], variables);
      }
    }
    return result;
  }
  const bool open_mpi = kind == LauncherKind::openmpi4 || kind == LauncherKind::openmpi5;
  const bool hydra = kind == LauncherKind::mpich || kind == LauncherKind::intel;
  if (!(open_mpi && (names_hosts(command) || in_allocation())) &&
      !(hydra && restricts_environment(command))) {
    return result;
  }
  const std::vector<std::string> options = export_options(kind, variables);
  // Open MPI's -x counts for one part of the command; hydra's -genv for all.
  for (std::size_t part = command.applications.size(); part-- > 0;) {
    if (part > 0 && hydra) continue;
    const std::size_t begin = part == 0 ? command.launcher_index + 1
                                        : command.applications[part - 1].index +
                                              command.applications[part - 1].argv.size() + 1;
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(begin), options.begin(),
                  options.end());
  }
  return result;
}

}  // namespace plait::launch
