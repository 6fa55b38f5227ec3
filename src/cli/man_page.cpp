// SPDX-License-Identifier: BSD-3-Clause
// Manual pages of the commands.
#include "cli/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/json_file.hpp"
#include "cli/help.hpp"

namespace plait::cli {
namespace {

/// A text that roff prints as it is: no control lines, no escapes, hyphens that can be copied.
std::string roff(const std::string& text) {
  std::string result;
  bool at_line_begin = true;
  for (const char letter : text) {
    if (at_line_begin && (letter == '.' || letter == '\'')) result += "\\&";
    at_line_begin = letter == '\n';
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else {
      result += letter;
    }
  }
  return result;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

std::string page_name(const Command& command) {
  std::string name = command.path();
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string entry(const std::string& name, const std::string& text) {
  return ".TP\n.B " + roff(name) + "\n" + roff(text) + ".\n";
}

std::string verbatim(const std::string& text) {
  return ".PP\n.nf\n" + roff(text) + "\n.fi\n";
}

/// Paragraphs, arguments and options.
std::string described(const Command& command, const char* heading_macro) {
  std::string page;
  for (const std::string& paragraph : command.paragraphs) page += ".PP\n" + roff(paragraph) + "\n";
  if (!command.verbatim.empty()) page += verbatim(command.verbatim);
  for (const Option& option : command.options) {
    if (option.is_argument()) page += entry(option_syntax(option), option_help(option));
  }
  for (const std::string& heading : option_headings(command)) {
    page += fmt::format("{} {}\n", heading_macro, upper(heading));
    for (const Option& option : command.options) {
      const std::string& of = option.heading.empty() ? "Options" : option.heading;
      if (option.is_argument() || of != heading) continue;
      page += entry(option_syntax(option), option_help(option));
    }
  }
  return page;
}

std::string subcommands(const Command& command) {
  std::string page;
  for (const auto& below : command.commands) {
    if (below->is_hidden) continue;
    page += ".SH " + upper(below->path()) + "\n" + roff(below->summary) + ".\n.PP\n.B " +
            roff(usage_line(*below)) + "\n" + described(*below, ".SS");
  }
  return page;
}

std::string command_lists(const Command& root) {
  std::string page;
  for (const std::string& group : command_groups(root)) {
    page += ".SS " + group + "\n";
    for (const auto& below : root.commands) {
      if (!below->is_hidden && below->group == group) {
        page += entry(page_name(*below) + "(1)", below->summary);
      }
    }
  }
  return page;
}

}  // namespace

std::string man_page(const Command& command) {
  const bool is_root = command.parent == nullptr;
  std::string page = fmt::format(".TH {} 1 \"\" \"Plait {}\" \"Plait manual\"\n",
                                 upper(page_name(command)), PLAIT_VERSION);
  page += ".SH NAME\n" + page_name(command) + " \\- " + roff(command.summary) + "\n";
  page += ".SH SYNOPSIS\n.B " + roff(usage_line(command)) + "\n";
  page += ".SH DESCRIPTION\n" + roff(command.summary) + ".\n";
  page += described(command, ".SH");
  if (is_root) {
    page += entry("-V, --version", "Print the version") + ".SH COMMANDS\n" + command_lists(command);
  } else {
    page += subcommands(command);
  }
  if (!command.examples.empty()) {
    page += ".SH EXAMPLES\n";
    for (const std::string& line : command.examples) page += verbatim(line);
  }
  page += ".SH SEE ALSO\n";
  return page + (is_root ? "Each command has a manual page, as\n.BR plait\\-run (1).\n"
                         : ".BR plait (1)\n");
}

void write_man_pages(const Command& root, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_text_file(folder / "plait.1", man_page(root));
  for (const auto& command : root.commands) {
    if (command->is_hidden) continue;
    write_text_file(folder / (page_name(*command) + ".1"), man_page(*command));
  }
}

}  // namespace plait::cli
