// SPDX-License-Identifier: BSD-3-Clause
// Reads a command line by the declarations of its commands.
#pragma once

#include "cli/command.hpp"

namespace plait::cli {

/// The request of the user.
struct Parsed {
  const Command* command = nullptr;  ///< the innermost command
  bool help = false;                 ///< -h or --help was given
  bool version = false;              ///< -V or --version was given
};

/// Reads a command line and stores the values of its options.
/// @param root  the program's command
/// @throws Error when the command line cannot be understood or a value cannot be used. Values are
///         not stored when help or the version is asked for.
Parsed parse(Command& root, int argc, const char* const* argv);

}  // namespace plait::cli
