// SPDX-License-Identifier: BSD-3-Clause
// Subcommands that end in another program's command line: plait run, plait where.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "plait/error.hpp"

namespace plait::cli {

/// From the first word that is no option of the subcommand, or from behind "--", all words are the
/// other program's and are not looked at. `unused` must live as long as the subcommand.
inline void takes_program_command(CLI::App* subcommand, std::string& unused) {
  subcommand->prefix_command();
  // CLI11 hands what follows "--" to the parent unless a positional is still open. This one stays
  // open, because it refuses every word.
  subcommand->validate_positionals();
  subcommand->add_option("command", unused, "Launcher with its options, program, arguments")
      ->option_text("...")
      ->check(CLI::Validator([](std::string&) { return std::string("no value"); }, ""));
}

/// The words, when the subcommand has been parsed. Throws Error when they begin with an option.
inline std::vector<std::string> program_command(const CLI::App* subcommand) {
  std::vector<std::string> words = subcommand->remaining();
  if (!words.empty() && words.front() != "--" && words.front().starts_with('-')) {
    const std::string name = "plait " + subcommand->get_name();
    throw Error(words.front(), "is no option of " + name, name + " --help lists them");
  }
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  return words;
}

}  // namespace plait::cli
