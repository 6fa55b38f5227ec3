// SPDX-License-Identifier: BSD-3-Clause
// Asks the tools of an MPI library which parameters it has, and with which values.
#include "tune/library_parameters.hpp"

#include <charconv>
#include <chrono>
#include <filesystem>
#include <string_view>

#include "base/subprocess.hpp"
#include "plait/error.hpp"

namespace plait::tune {
namespace {

namespace fs = std::filesystem;
using launcher::LauncherKind;

template <class Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    use(text.substr(0, end));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
}

/// The text before the next separator, which is removed with it.
std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  return part;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

/// "0-32"; nothing if it is something else.
std::optional<std::pair<double, double>> range_of(std::string_view text) {
  const std::string_view low = cut(text, '-');
  std::pair<double, double> range;
  const auto number = [](std::string_view of, double& to) {
    const auto [end, error] = std::from_chars(of.data(), of.data() + of.size(), to);
    return error == std::errc{} && end == of.data() + of.size();
  };
  if (!number(trimmed(low), range.first) || !number(trimmed(text), range.second)) {
    return std::nullopt;
  }
  return range;
}

std::string tool_name(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::openmpi4:
    case LauncherKind::openmpi5:
      return "ompi_info";
    case LauncherKind::mpich:
      return "mpivars";
    case LauncherKind::intel:
      return "impi_info";
    default:
      return "";
  }
}

}  // namespace

LibraryParameters parse_ompi_info(const std::string& text) {
  LibraryParameters all;
  for_each_line(text, [&](std::string_view line) {
    if (cut(line, ':') != "mca") return;
    cut(line, ':');  // the framework
    cut(line, ':');  // the component
    if (cut(line, ':') != "param") return;
    LibraryParameter& parameter = all[std::string(cut(line, ':'))];
    const std::string_view field = cut(line, ':');
    if (field == "value") {
      parameter.value = line;
    } else if (field == "help") {
      parameter.help = line;
    } else if (field == "disabled") {
      parameter.constant = line == "true";
    } else if (field == "enumerator" && cut(line, ':') == "value") {
      const std::string_view number = cut(line, ':');
      parameter.choices.emplace_back(number, line);
    }
  });
  return all;
}

LibraryParameters parse_mpivars(const std::string& text) {
  LibraryParameters all;
  LibraryParameter* last = nullptr;
  for_each_line(text, [&](std::string_view line) {
    const std::size_t equals = line.find('=');
    if (!line.starts_with("\tMPIR_CVAR_") || equals == line.npos) {
      // The description goes on. Pvars and categories, which follow, have another form.
      if (line.starts_with('\t')) last = nullptr;
      if (last != nullptr) last->help += "\n" + std::string(line);
      return;
    }
    const std::string name(trimmed(line.substr(0, equals)));
    line.remove_prefix(equals + 1);
    if (name.find(':') != name.npos) return;
    last = &all[name];
    last->value = trimmed(cut(line, '\t'));
    last->constant = cut(line, '\t') == "SCOPE_CONSTANT";
    for (int column = 0; column < 3; ++column) cut(line, '\t');
    last->help = line;
  });
  return all;
}

LibraryParameters parse_impi_info(const std::string& text) {
  LibraryParameters all;
  LibraryParameter* last = nullptr;
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with("I_MPI_")) {
      last = &all[std::string(trimmed(line))];
      return;
    }
    if (last == nullptr) return;
    const std::string_view content = trimmed(line);
    constexpr std::string_view kRange = "range:";
    if (content.starts_with(kRange)) last->range = range_of(content.substr(kRange.size()));
    last->help += (last->help.empty() ? "" : " ") + std::string(content);
  });
  return all;
}

std::string parameter_tool(const launcher::Launcher& launcher) {
  const std::string name = tool_name(launcher.kind);
  if (name.empty()) return "";
  const fs::path beside = fs::path(launcher.path).parent_path() / name;
  std::error_code none;
  if (!launcher.path.empty() && fs::exists(beside, none)) return beside.string();
  // Another installation's tool would describe another library.
  return launcher.path.empty() ? find_in_path(name) : "";
}

std::optional<LibraryParameters> ask_library(const launcher::Launcher& launcher,
                                             const Assignments& environment) {
  const std::string tool = parameter_tool(launcher);
  if (tool.empty()) return std::nullopt;
  constexpr std::chrono::seconds kLimit(30);
  std::vector<std::string> command{tool};
  Assignments variables = environment;
  const bool open =
      launcher.kind == LauncherKind::openmpi4 || launcher.kind == LauncherKind::openmpi5;
  if (open) command.insert(command.end(), {"--all", "--parsable"});
  if (launcher.kind == LauncherKind::intel) {
    command.emplace_back("-a");
    // The Python package's tool does not find its library by itself.
    variables.emplace_back("LD_LIBRARY_PATH",
                           (fs::path(tool).parent_path().parent_path() / "lib").string());
  }
  try {
    const CommandResult result = run_command(command, kLimit, {}, variables);
    if (result.exit_code != 0) return std::nullopt;
    LibraryParameters all = open                                   ? parse_ompi_info(result.out)
                            : launcher.kind == LauncherKind::mpich ? parse_mpivars(result.out)
                                                                   : parse_impi_info(result.out);
    if (all.empty()) return std::nullopt;
    return all;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace plait::tune
