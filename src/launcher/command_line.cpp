// SPDX-License-Identifier: BSD-3-Clause
// Parses launcher command lines: options, wrappers, programs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "launcher/launcher.hpp"
#include "launcher/launcher_traits.hpp"
#include "plait/error.hpp"

namespace plait::launcher {
namespace {

std::optional<int> number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

bool is_assignment(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  return equals != argument.npos && equals > 0 && argument.find('/') > equals;
}

/// Index of the program that a wrapper at `at` runs; `at` itself if there is no wrapper.
/// Wrappers run their operand in the same environment.
std::size_t behind_wrapper(const std::vector<std::string>& argv, std::size_t at) {
  const std::string name = std::filesystem::path(argv[at]).filename().string();
  struct Wrapper {
    const char* name;
    const char* with_value;  ///< short options that take a separate value
    int operands;            ///< arguments before the program
  };
  static constexpr Wrapper kWrappers[] = {
      {"env", "uCS", 0},        {"nice", "n", 0},     {"nohup", "", 0},     {"setsid", "", 0},
      {"time", "fo", 0},        {"stdbuf", "ioe", 0}, {"timeout", "ks", 1}, {"taskset", "", 1},
      {"numactl", "imNCpP", 0}, {"chrt", "TPD", 1},   {"exec", "a", 0},     {"plait-bind", "", 1}};
  const auto* const known =
      std::find_if(std::begin(kWrappers), std::end(kWrappers),
                   [&](const Wrapper& wrapper) { return name == wrapper.name; });
  if (known == std::end(kWrappers)) return at;
  std::size_t next = at + 1;
  while (next < argv.size() && argv[next].size() > 1 && argv[next][0] == '-') {
    const std::string& option = argv[next];
    const bool value =
        option.size() == 2 && std::string(known->with_value).find(option[1]) != std::string::npos;
    next += value ? 2 : 1;
    if (option == "--") break;
  }
  if (name == "env") {
    while (next < argv.size() && is_assignment(argv[next])) ++next;
  }
  next += static_cast<std::size_t>(known->operands);
  return next < argv.size() ? next : at;
}

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Takes the number of ranks or the folder from an option.
/// @param length  of the option, itself included
void understand_option(const LauncherTraits& launcher, const std::vector<std::string>& argv,
                       std::size_t at, std::size_t length, Application& application) {
  const OptionParts option = launcher.parts(argv[at]);
  const bool separate = length > 1 && option.value.empty() && at + 1 < argv.size();
  const std::string& value = separate ? argv[at + 1] : option.value;
  if (is_in(launcher.facts().ranks, option.name)) application.ranks = number(value);
  if (is_in(launcher.facts().folder, option.name)) application.folder = value;
}

Application program_at(const std::vector<std::string>& argv, std::size_t at, std::size_t end,
                       Application application) {
  const auto argument = [&](std::size_t index) {
    return argv.begin() + static_cast<std::ptrdiff_t>(index);
  };
  const std::size_t program = behind_wrappers({argv.begin(), argument(end)}, at);
  application.index = program;
  application.wrapper.assign(argument(at), argument(program));
  application.argv.assign(argument(program), argument(end));
  return application;
}

}  // namespace

std::size_t behind_wrappers(const std::vector<std::string>& argv, std::size_t at) {
  std::size_t program = at;
  for (std::size_t next = behind_wrapper(argv, program); next != program;
       next = behind_wrapper(argv, program)) {
    program = next;
  }
  return program;
}

LaunchCommand understand_command(const std::vector<std::string>& argv) {
  if (argv.empty()) return parse_command({}, argv);
  const std::size_t at = behind_wrappers(argv, 0);
  return parse_command(identify_launcher(argv[at]), argv, at);
}

LaunchCommand parse_command(const Launcher& launcher, const std::vector<std::string>& argv,
                            std::size_t launcher_index) {
  LaunchCommand command;
  command.launcher = launcher;
  command.argv = argv;
  command.launcher_index = launcher_index;
  if (argv.empty() || argv.front().empty()) {
    throw Error("command", "there is no program to run", "plait run -- mpiexec -n 4 ./app");
  }
  if (launcher.kind == LauncherKind::none) {
    command.applications.push_back(program_at(argv, 0, argv.size(), {}));
    return command;
  }
  const LauncherTraits& traits = traits_of(launcher.kind);
  std::size_t at = launcher_index + 1;
  while (at < argv.size()) {
    Application application;
    while (at < argv.size() && argv[at].size() > 1 && argv[at][0] == '-') {
      const std::size_t length = traits.option_length(argv[at]);
      understand_option(traits, argv, at, length, application);
      if (argv[at] == "--") {
        ++at;
        break;
      }
      at += length;
    }
    if (at >= argv.size() || argv[at] == ":") break;
    const auto stop = std::find(argv.begin() + static_cast<std::ptrdiff_t>(at), argv.end(), ":");
    const auto end = static_cast<std::size_t>(stop - argv.begin());
    command.applications.push_back(program_at(argv, at, end, application));
    at = end + 1;
  }
  if (command.applications.empty()) {
    throw Error(launcher.name, "there is no program in this command",
                fmt::format("{} -n 4 ./app", launcher.name));
  }
  std::int64_t total = 0;
  for (const Application& application : command.applications) {
    if (!application.ranks) return command;
    total += *application.ranks;
  }
  if (std::in_range<int>(total)) command.ranks = static_cast<int>(total);
  return command;
}

}  // namespace plait::launcher
