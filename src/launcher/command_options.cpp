// SPDX-License-Identifier: BSD-3-Clause
// Removes, adds and changes options in launcher command lines.
#include "launcher/command_options.hpp"

#include <algorithm>

#include "launcher/launcher_traits.hpp"

namespace plait::launcher {
namespace {

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// True if the argument is a variable's name, and the next one is its value: -env NAME VALUE.
bool is_name_before_value(const std::vector<std::string>& argv, std::size_t at,
                          const std::string& name) {
  return argv[at] == name && at > 0 && at + 1 < argv.size() &&
         argv[at - 1].find("env") != std::string::npos;
}

}  // namespace

std::vector<std::string> options_without(const LaunchCommand& command,
                                         const std::vector<std::string>& drop, std::size_t part) {
  std::vector<std::string> kept;
  const LauncherTraits& launcher = traits_of(command.launcher.kind);
  const std::size_t end =
      command.applications[part].index - command.applications[part].wrapper.size();
  for (std::size_t at = part_begin(command, part); at < end;) {
    const std::string& option = command.argv[at];
    const std::size_t length = std::min(launcher.option_length(option), end - at);
    const std::string name = launcher.parts(option).name;
    const std::string with_value = length == 3 ? name + " " + command.argv[at + 1] : name;
    if (!is_in(drop, name) && !is_in(drop, with_value)) {
      kept.insert(kept.end(), command.argv.begin() + static_cast<std::ptrdiff_t>(at),
                  command.argv.begin() + static_cast<std::ptrdiff_t>(at + length));
    }
    at += length;
  }
  return kept;
}

std::size_t part_begin(const LaunchCommand& command, std::size_t part) {
  if (part == 0) return command.launcher_index + 1;
  const Application& before = command.applications[part - 1];
  return before.index + before.argv.size() + 1;
}

void insert_options(std::vector<std::string>& argv, std::size_t at,
                    const std::vector<std::string>& options) {
  argv.insert(argv.begin() + static_cast<std::ptrdiff_t>(at), options.begin(), options.end());
}

std::vector<std::string> exporting_command(const LaunchCommand& command,
                                           const Assignments& variables) {
  return traits_of(command.launcher.kind).exporting(command, variables);
}

std::string variable_in_part(const LaunchCommand& command, std::size_t part,
                             const std::string& name) {
  const std::vector<std::string>& argv = command.argv;
  std::string value;
  const auto read = [&](std::size_t at) {
    if (argv[at].starts_with(name + "=")) value = argv[at].substr(name.size() + 1);
    if (is_name_before_value(argv, at, name)) value = argv[at + 1];
  };
  const Application& first = command.applications.front();
  for (std::size_t at = 0; at < command.launcher_index; ++at) read(at);
  const bool sets_all = traits_of(command.launcher.kind).facts().first_part_sets_all;
  for (std::size_t at = part_begin(command, 0); at < first.index - first.wrapper.size(); ++at) {
    if (sets_all || argv[at - 1].ends_with("-genv")) read(at);
  }
  const std::size_t own =
      command.launcher.kind == LauncherKind::none ? 0 : part_begin(command, part);
  for (std::size_t at = own; at < command.applications[part].index; ++at) read(at);
  return value;
}

bool override_assignments(std::vector<std::string>& argv, const std::string& assignment) {
  const std::string name = assignment.substr(0, assignment.find('='));
  bool found = false;
  for (std::size_t i = 0; i < argv.size(); ++i) {
    const bool whole = argv[i].starts_with(name + "=");
    const bool divided = is_name_before_value(argv, i, name);
    if (whole) argv[i] = assignment;
    if (divided) argv[i + 1] = assignment.substr(name.size() + 1);
    found = found || whole || divided;
  }
  return found;
}

}  // namespace plait::launcher
