// SPDX-License-Identifier: BSD-3-Clause
// How the user started a command of Plait, so that a suggestion can repeat the whole command line.
#include "run/started_as.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/environment.hpp"
#include "base/process_tree.hpp"
#include "base/shell_word.hpp"
#include "launcher/launcher_traits.hpp"

namespace plait::run {
namespace {

std::vector<std::string> command_line_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

/// The command line of the launcher above this process; empty: it runs on another node.
std::vector<std::string> launcher_above() {
  for (pid_t process = ::getppid(); process > 1;) {
    std::vector<std::string> line = command_line_of(process);
    if (!line.empty() && launcher::is_launcher_name(line.front())) return line;
    const auto stat = process_stat(process);
    if (!stat) break;
    process = stat->parent;
  }
  return {};
}

std::vector<std::string> without_output(const std::vector<std::string>& typed) {
  std::vector<std::string> kept;
  for (std::size_t at = 0; at < typed.size(); ++at) {
    const std::string& one = typed[at];
    if (one == "-o" || one == "--output") {
      ++at;
    } else if (!one.starts_with("--output=") && !(one.starts_with("-o") && one.size() > 2)) {
      kept.push_back(one);
    }
  }
  return kept;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

LauncherLine divide_launcher_line(const std::vector<std::string>& line,
                                  const std::vector<std::string>& typed) {
  LauncherLine of{line, line};
  if (typed.size() < 2) return of;
  // The launcher may have been given another path of plait than its name.
  const auto own = std::search(line.begin(), line.end(), typed.begin() + 1, typed.end());
  if (own == line.end() || own == line.begin()) return of;
  const auto rest = own + (std::ssize(typed) - 1);
  of.without_output.assign(line.begin(), own);
  append(of.without_output, without_output({typed.begin() + 1, typed.end()}));
  of.without_output.insert(of.without_output.end(), rest, line.end());
  of.without_plait.assign(line.begin(), own - 1);
  const bool marked = rest != line.end() && *rest == "--";
  of.without_plait.insert(of.without_plait.end(), marked ? rest + 1 : rest, line.end());
  return of;
}

StartedAs started_as(const std::vector<std::string>& typed, const std::vector<std::string>& command,
                     const std::optional<launcher::JobRank>& job) {
  StartedAs result;
  const auto outer = nlohmann::json::parse(environment_value(kAroundVariable), nullptr, false);
  if (outer.is_array()) {
    for (const auto& one : outer) {
      if (one.is_string()) result.outer.push_back(one.get<std::string>());
    }
    result.outer.emplace_back("--");
  }
  result.around = result.outer;
  std::vector<std::string> own = without_output(typed);
  if (!job) {
    append(result.around, own);
    result.around.emplace_back("--");
    result.command = result.plain = command;
    return result;
  }
  const LauncherLine above = divide_launcher_line(launcher_above(), typed);
  result.command = above.without_output;
  result.plain = above.without_plait;
  if (!result.command.empty()) return result;
  result.plain = {launcher::traits_of(job->launcher.kind).facts().command};
  if (job->size > 0) append(result.plain, {"-n", std::to_string(job->size)});
  result.command = result.plain;
  append(result.command, own);
  append(result.command, command);
  append(result.plain, command);
  return result;
}

std::string started_text(const std::vector<std::string>& around,
                         const std::vector<std::string>& command) {
  std::vector<std::string> all = around;
  append(all, command);
  return command_text(all);
}

}  // namespace plait::run
