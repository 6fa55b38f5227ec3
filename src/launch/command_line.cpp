// SPDX-License-Identifier: BSD-3-Clause
// Takes a launcher's command line apart: options, wrappers, programs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "launch/launcher.hpp"
#include "plait/error.hpp"

namespace plait::launch {
namespace {

std::optional<int> number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

bool is_assignment(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != word.npos && equals > 0 && word.find('/') > equals;
}

/// Index of the program behind a wrapper at `at`; `at` itself when that is no wrapper.
/// Known are those that run their operand in the same environment.
std::size_t behind_wrapper(const std::vector<std::string>& argv, std::size_t at) {
  const std::string name = std::filesystem::path(argv[at]).filename().string();
  struct Wrapper {
    const char* name;
    const char* with_value;  ///< short options that take a separate value
    int operands;            ///< words before the program
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

/// What an option says of ranks and folder.
void understand_option(LauncherKind kind, const std::vector<std::string>& argv, std::size_t at,
                       std::size_t words, Application& application) {
  std::string name = argv[at];
  std::string value = words > 1 && at + 1 < argv.size() ? argv[at + 1] : "";
  if (const std::size_t equals = name.find('='); equals != name.npos) {
    value = name.substr(equals + 1);
    name = name.substr(0, equals);
  }
  if (kind == LauncherKind::slurm && name.size() > 2 && name[0] == '-' && name[1] != '-') {
    value = name.substr(2);  // -n4
    name = name.substr(0, 2);
  }
  const bool one_dash = name.size() > 1 && name[1] != '-';
  const std::string plain = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  const bool ranks = kind == LauncherKind::slurm
                         ? plain == "ntasks" || (one_dash && plain == "n")
                         : plain == "n" || plain == "np" ||
                               (plain == "c" &&
                                (kind == LauncherKind::openmpi4 || kind == LauncherKind::openmpi5));
  if (ranks) application.ranks = number(value);
  const bool folder = kind == LauncherKind::slurm ? plain == "chdir" || (one_dash && plain == "D")
                                                  : plain == "wdir" || plain == "wd";
  if (folder) application.folder = value;
}

Application program_at(const std::vector<std::string>& argv, std::size_t at, std::size_t end,
                       Application application) {
  const auto word = [&](std::size_t index) {
    return argv.begin() + static_cast<std::ptrdiff_t>(index);
  };
  const std::size_t program = behind_wrappers({argv.begin(), word(end)}, at);
  application.index = program;
  application.wrapper.assign(word(at), word(program));
  application.argv.assign(word(program), word(end));
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
    throw Error("command", "there is no program in it", "plait run -- mpiexec -n 4 ./app");
  }
  if (launcher.kind == LauncherKind::none) {
    command.applications.push_back(program_at(argv, 0, argv.size(), {}));
    return command;
  }
  std::size_t at = launcher_index + 1;
  while (at < argv.size()) {
    Application application;
    while (at < argv.size() && argv[at].size() > 1 && argv[at][0] == '-') {
      const std::size_t words = option_words(launcher.kind, argv[at]);
      understand_option(launcher.kind, argv, at, words, application);
      if (argv[at] == "--") {
        ++at;
        break;
      }
      at += words;
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
  int total = 0;
  for (const Application& application : command.applications) {
    if (!application.ranks) return command;
    total += *application.ranks;
  }
  command.ranks = total;
  return command;
}

}  // namespace plait::launch
