// SPDX-License-Identifier: BSD-3-Clause
// The text of --help.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"

namespace plait::cli {

/// Summary, usage, arguments, options, commands and examples; lines of at most 80 columns.
std::string help_text(const Command& command);

/// "plait run [OPTIONS] -- mpiexec -n 4 ./app".
std::string usage_line(const Command& command);

/// "-o, --output FILE" of an option; the value's name of an argument.
std::string option_syntax(const Option& option);

/// The help of an option with its default: "Stop after this much time (default: 30 s)".
std::string option_help(const Option& option);

/// The headings of a command's options in the order of declaration.
std::vector<std::string> option_headings(const Command& command);

/// The headings of its subcommands.
std::vector<std::string> command_groups(const Command& command);

}  // namespace plait::cli
