// SPDX-License-Identifier: BSD-3-Clause
// Lays out --help.
#include "cli/help_formatter.hpp"

#include "report/terminal.hpp"
#include "report/text.hpp"

namespace plait::cli {

namespace {

constexpr std::size_t kDescription = 28;  // column
constexpr std::size_t kMostLines = 20;

}  // namespace

std::string HelpFormatter::entry(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  const std::size_t columns = report::kTerminalColumns - kDescription;
  bool fits = report::display_width(text) < kDescription;
  for (const std::string& line : report::wrap(description, columns, kMostLines)) {
    if (!fits) text += '\n';
    text += fits ? std::string(kDescription - report::display_width(text), ' ')
                 : std::string(kDescription, ' ');
    text += line;
    fits = false;
  }
  return text + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option),
               make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace plait::cli
