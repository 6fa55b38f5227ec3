// SPDX-License-Identifier: BSD-3-Clause
// JSON of a command: --json prints it, --output FILE writes it.
#include "cli/json_output.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/json_file.hpp"

namespace plait::cli {

void add_json_output(Command& command, JsonOutput& output, const std::string& what) {
  command.flag("--json", output.print, "Print " + what + " as JSON");
  command
      .option("-o,--output", "FILE", output.file,
              "Write " + what + " as JSON to this file (-: standard output)")
      .completes(Complete::file);
}

void add_json_flag(Command& command, JsonOutput& output, const std::string& help) {
  command.flag("--json", output.print, help);
}

bool write_json(const JsonOutput& output, const nlohmann::json& value) {
  const bool printed = output.print || output.file == "-";
  if (!output.file.empty() && output.file != "-") write_json_file(output.file, value);
  if (printed) print_json(value);
  return printed;
}

void print_json(const nlohmann::json& value) {
  fmt::print("{}\n", value.dump(1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace plait::cli
