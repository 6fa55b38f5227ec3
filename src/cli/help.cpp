// SPDX-License-Identifier: BSD-3-Clause
// The text of --help.
#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "text/wrap.hpp"

namespace plait::cli {
namespace {

constexpr std::size_t kWidestName = 26;  ///< longer names have their description on the next line
constexpr const char* kOptions = "Options";  ///< heading of options without another one

/// Names and descriptions in two columns.
struct Descriptions {
  std::vector<std::pair<std::string, std::string>> rows;

  [[nodiscard]] std::size_t name_columns() const {
    std::size_t widest = 0;
    for (const auto& [name, text] : rows) {
      if (name.size() <= kWidestName) widest = std::max(widest, name.size());
    }
    return widest;
  }

  [[nodiscard]] std::string text(std::size_t name_width) const {
    const std::size_t column = 2 + name_width + 2;
    std::string all;
    for (const auto& [name, description] : rows) {
      std::string label = "  " + name;
      if (label.size() + 2 > column) {
        all += label + "\n";
        label.clear();
      }
      all += joined_lines(wrap_beside(pad(label, column), description));
    }
    return all;
  }
};

template <class Range, class Name>
std::vector<std::string> distinct(const Range& range, Name name) {
  std::vector<std::string> all;
  for (const auto& one : range) {
    const std::string text = name(one);
    if (!text.empty() && std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  }
  return all;
}

Descriptions arguments_of(const Command& command) {
  Descriptions table;
  for (const Option& option : command.options) {
    if (option.is_argument()) table.rows.emplace_back(option_syntax(option), option_help(option));
  }
  return table;
}

Descriptions options_of(const Command& command, const std::string& heading) {
  Descriptions table;
  for (const Option& option : command.options) {
    const std::string& of = option.heading.empty() ? kOptions : option.heading;
    if (option.is_argument() || of != heading) continue;
    const std::string indent = option.names.size() == 1 ? "    " : "";
    table.rows.emplace_back(indent + option_syntax(option), option_help(option));
  }
  return table;
}

Descriptions commands_of(const Command& command, const std::string& group) {
  Descriptions table;
  for (const auto& one : command.commands) {
    const std::string of = one->group.empty() ? "Commands" : one->group;
    if (!one->is_hidden && of == group) table.rows.emplace_back(one->name, one->summary);
  }
  return table;
}

}  // namespace

std::string option_syntax(const Option& option) {
  if (option.is_argument()) return option.value + (option.is_greedy ? "..." : "");
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  if (option.is_flag()) return names;
  if (!option.implied.empty()) return names + "[=" + option.value + "]";
  return names + " " + option.value + (option.is_greedy ? "..." : "");
}

std::string option_help(const Option& option) {
  if (option.default_value.empty()) return option.help;
  return option.help + " (default: " + option.default_value + ")";
}

std::vector<std::string> option_headings(const Command& command) {
  auto headings = distinct(command.options, [](const Option& option) {
    return option.is_argument() ? "" : option.heading.empty() ? kOptions : option.heading;
  });
  return headings;
}

std::vector<std::string> command_groups(const Command& command) {
  return distinct(command.commands, [](const auto& one) {
    return one->is_hidden ? "" : one->group.empty() ? "Commands" : one->group;
  });
}

std::string usage_line(const Command& command) {
  std::string usage = command.path() + " [OPTIONS]";
  if (!command.commands.empty() && command.program == nullptr) return usage + " COMMAND ...";
  for (const Option& option : command.options) {
    if (!option.is_argument() && option.is_required) usage += " " + option_syntax(option);
  }
  for (const Option& option : command.options) {
    if (!option.is_argument()) continue;
    usage += option.is_required ? " " + option_syntax(option) : " [" + option_syntax(option) + "]";
  }
  if (command.program == nullptr) return usage;
  return usage + (command.program_is_required ? " -- COMMAND ..." : " [-- COMMAND ...]");
}

std::string help_text(const Command& command) {
  std::string text = joined_lines(wrap(command.summary)) + "\nUsage: " + usage_line(command) + "\n";
  for (const std::string& paragraph : command.paragraphs)
    text += "\n" + joined_lines(wrap(paragraph));
  if (!command.verbatim.empty()) text += "\n" + command.verbatim + "\n";
  std::vector<std::pair<std::string, Descriptions>> sections;
  for (const std::string& group : command_groups(command)) {
    sections.emplace_back(group, commands_of(command, group));
  }
  sections.emplace_back("Arguments", arguments_of(command));
  for (const std::string& heading : option_headings(command)) {
    sections.emplace_back(heading, options_of(command, heading));
  }
  auto of_help = std::find_if(sections.begin(), sections.end(),
                              [](const auto& section) { return section.first == kOptions; });
  if (of_help == sections.end()) of_help = sections.insert(of_help, {kOptions, {}});
  of_help->second.rows.emplace_back("-h, --help", "Print this help");
  if (command.parent == nullptr) {
    of_help->second.rows.emplace_back("-V, --version", "Print the version");
  }
  std::size_t columns = 0;
  for (const auto& [heading, table] : sections) columns = std::max(columns, table.name_columns());
  for (const auto& [heading, table] : sections) {
    if (!table.rows.empty()) text += "\n" + heading + ":\n" + table.text(columns);
  }
  if (!command.examples.empty()) {
    text += command.examples.size() == 1 ? "\nExample:\n" : "\nExamples:\n";
    for (const std::string& line : command.examples) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace plait::cli
