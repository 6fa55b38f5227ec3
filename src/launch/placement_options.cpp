// SPDX-License-Identifier: BSD-3-Clause
// Options of launchers that decide placement: which there are, and a command without them.
#include "launch/placement_options.hpp"

#include <algorithm>

namespace plait::launch {
namespace {

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The name of an option without dashes, value and, of srun's short ones, digits.
std::string option_name(LauncherKind kind, const std::string& word) {
  std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  name = name.substr(0, name.find('='));
  if (kind == LauncherKind::slurm && word[0] == '-' && word[1] != '-') name = name.substr(0, 1);
  return name;
}

}  // namespace

std::vector<std::string> placement_options(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      return {"map-by",       "bind-to",        "cpu-set",       "cpu-list",     "rank-by",
              "bind-to-core", "bind-to-socket", "bycore",        "byslot",       "bynode",
              "bysocket",     "npersocket",     "cpus-per-proc", "cpus-per-rank"};
    case LauncherKind::mpich:
      return {"bind-to", "binding", "map-by"};
    case LauncherKind::intel:
      return {"genv I_MPI_PIN_DOMAIN", "genv I_MPI_PIN_PROCESSOR_LIST", "genv I_MPI_PIN",
              "env I_MPI_PIN_DOMAIN",  "env I_MPI_PIN_PROCESSOR_LIST",  "env I_MPI_PIN"};
    case LauncherKind::slurm:
      return {"cpus-per-task", "c", "cpu-bind", "distribution", "m"};
    case LauncherKind::none:
      break;
  }
  return {};
}

std::vector<std::string> rank_options(LauncherKind kind) {
  if (kind == LauncherKind::openmpi4 || kind == LauncherKind::openmpi5) return {"n", "np", "c"};
  return {"n", "np", "ntasks"};
}

std::vector<std::string> host_options(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      return {"H",        "host",        "hostfile", "machinefile", "default-hostfile",
              "add-host", "add-hostfile"};
    case LauncherKind::mpich:
    case LauncherKind::intel:
      return {"f", "host", "hosts", "hostfile", "hostlist", "machine", "machinefile"};
    case LauncherKind::slurm:
      return {"nodelist", "w"};
    case LauncherKind::none:
      break;
  }
  return {};
}

std::vector<std::string> options_without(const LaunchCommand& command,
                                         const std::vector<std::string>& drop) {
  std::vector<std::string> kept;
  const LauncherKind kind = command.launcher.kind;
  const std::size_t end =
      command.applications.front().index - command.applications.front().wrapper.size();
  for (std::size_t at = command.launcher_index + 1; at < end;) {
    const std::string& word = command.argv[at];
    const std::size_t words = std::min(option_words(kind, word), end - at);
    const std::string name = option_name(kind, word);
    const std::string with_value = words == 3 ? name + " " + command.argv[at + 1] : name;
    if (!is_in(drop, name) && !is_in(drop, with_value)) {
      kept.insert(kept.end(), command.argv.begin() + static_cast<std::ptrdiff_t>(at),
                  command.argv.begin() + static_cast<std::ptrdiff_t>(at + words));
    }
    at += words;
  }
  return kept;
}

void override_assignments(std::vector<std::string>& words, const std::string& assignment) {
  const std::string name = assignment.substr(0, assignment.find('='));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].compare(0, name.size() + 1, name + "=") == 0) words[i] = assignment;
    if (words[i] == name && i > 0 && i + 1 < words.size() &&
        words[i - 1].find("env") != std::string::npos) {
      words[i + 1] = assignment.substr(name.size() + 1);
    }
  }
}

}  // namespace plait::launch
