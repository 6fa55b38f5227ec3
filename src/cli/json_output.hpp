// SPDX-License-Identifier: BSD-3-Clause
// JSON of a command: --json prints it, --output FILE writes it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/command.hpp"

namespace plait::cli {

struct JsonOutput {
  bool print = false;  ///< in place of the text, on standard output
  std::string file;    ///< empty: none; "-": the same as `print`
};

/// Adds --json and --output to a command. @param what  "the advice"
void add_json_output(Command& command, JsonOutput& output, const std::string& what);

/// Adds --json only, where the command writes a folder anyway.
void add_json_flag(Command& command, JsonOutput& output, const std::string& help);

/// Writes the value where the user wants it.
/// @return whether standard output has it, so that no text may be printed
/// @throws Error when the file cannot be written.
bool write_json(const JsonOutput& output, const nlohmann::json& value);

/// Prints JSON; bytes that are not UTF-8 are replaced.
void print_json(const nlohmann::json& value);

}  // namespace plait::cli
