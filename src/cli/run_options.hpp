// SPDX-License-Identifier: BSD-3-Clause
// Options and arguments that several commands share.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command.hpp"
#include "run/run.hpp"

namespace plait::cli {

/// Limits of a time in seconds.
inline constexpr Range kSeconds{0.001, 1e9};

/// The options of plait run, check and where: --output, --mpi, --time-limit, --keep-environment,
/// and the program.
void add_run_options(Command& command, run::RunRequest& request, const std::string& output_help);

/// @throws Error when no program was given.
void require_program(const Command& command);

/// The run directory that a command reads.
void add_run_argument(Command& command, std::string& run);

/// The run directory that was given; the newest one under plait-runs if none was.
std::filesystem::path run_or_newest(const std::string& given);

/// The interval of --remap, s. @throws Error when it is not a time, or is too short
double remap_interval(const std::string& text);

/// -m, --machine. @param help  what the machine is for, with the default
Option& add_machine_option(Command& command, std::string& machine, const std::string& help);

}  // namespace plait::cli
