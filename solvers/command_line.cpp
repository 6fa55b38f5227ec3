// SPDX-License-Identifier: BSD-3-Clause
// Parses the command line of a solver.
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace plait {
namespace {

void declare(CLI::App& app, const CommandSyntax& syntax) {
  for (const OptionGroup& group : syntax.groups) {
    for (const OptionEntry& entry : group.entries) {
      const auto add = [&](auto* target) {
        if constexpr (std::is_same_v<decltype(target), bool*>) {
          return app.add_flag(entry.name, *target, entry.help);
        } else {
          return app.add_option(entry.name, *target, entry.help)->type_name(entry.value);
        }
      };
      std::visit(add, entry.target)->group(group.title);
    }
  }
  for (const Exclusion& one : syntax.exclusions) {
    app.get_option(one.option)->excludes(app.get_option(one.other));
  }
}

/// The help, wrapped to the width of a terminal.
std::string folded(const std::string& help) {
  constexpr std::size_t columns = 80;
  std::istringstream lines(help);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::string indent(line.starts_with("  ") ? 30 : 0, ' ');
    while (line.size() > columns) {
      const std::size_t blank = line.rfind(' ', columns);
      if (blank == std::string::npos || blank <= indent.size()) break;
      text += line.substr(0, blank) + "\n";
      line = indent + line.substr(blank + 1);
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

void parse_command_line(const CommandSyntax& syntax, int argc, char** argv, CommandAnswer& answer,
                        const std::function<void()>& read_values) {
  const std::string version = std::string(syntax.program) + " " PLAIT_VERSION;
  CLI::App app{syntax.summary, syntax.program};
  app.set_version_flag("--version", version);
  declare(app, syntax);
  try {
    app.parse(argc, argv);
    read_values();
  } catch (const CLI::CallForHelp&) {
    answer.text = folded(app.help());
  } catch (const CLI::CallForVersion&) {
    answer.text = version + "\n";
  } catch (const CLI::ParseError& error) {
    answer.error.emplace("command line", error.what(), "see --help");
  } catch (const Error& error) {
    answer.error.emplace(error);
  }
}

Error refusal(const std::string& option, const std::string& text, const std::string& accepted) {
  return {option + " " + text, "invalid value", "use " + accepted};
}

std::size_t read_name(const std::string& option, const std::string& text,
                      std::span<const char* const> names) {
  std::string accepted;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (text == names[i]) return i;
    accepted += std::string(i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  }
  throw refusal(option, text, accepted);
}

int read_threads(const std::string& text) {
  if (!text.empty()) return read_number<int>("--threads", text, 1, 1024);
  const char* set = std::getenv("OMP_NUM_THREADS");
  // In a list ("4,2"), the numbers after the comma are for nested regions.
  const int threads = set == nullptr ? 1 : std::atoi(set);
  return threads > 0 ? threads : 1;
}

}  // namespace plait
