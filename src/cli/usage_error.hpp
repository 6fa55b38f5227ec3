// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with the words of a command line, as every other error of plait is written.
#pragma once

#include <CLI/CLI.hpp>

#include "plait/error.hpp"

namespace plait::cli {

/// CLI11's error with the subcommand that it is of: what, why, and which --help tells more.
/// Exit code 2. Not for CLI::Success (--help, --version).
Error usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace plait::cli
