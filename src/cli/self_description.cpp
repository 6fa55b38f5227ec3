// SPDX-License-Identifier: BSD-3-Clause
// plait help, plait completion, and the hidden command that writes the manual pages.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/help.hpp"
#include "cli/man_page.hpp"
#include "cli/suggestion.hpp"
#include "plait/error.hpp"

namespace plait::cli {
namespace {

const Command& command_named(const Command& root, const std::vector<std::string>& names) {
  const Command* at = &root;
  for (const std::string& name : names) {
    const Command* const below = at->find(name);
    if (below == nullptr) {
      std::vector<std::string> known;
      for (const auto& one : at->commands) known.push_back(one->name);
      const std::string near = suggestion(name, known);
      throw Error(fmt::format("unknown command \"{}\"; {}", name,
                              near.empty() ? at->path() + " --help lists the commands"
                                           : "did you mean \"" + near + "\"?"));
    }
    at = below;
  }
  return *at;
}

void add_help(Command& plait) {
  const auto names = std::make_shared<std::vector<std::string>>();
  Command& command = plait.add_command("help", "Print the help of a command", group::tools);
  Option& which = command.arguments("COMMAND", *names, "Command, such as run or cluster up");
  for (const auto& one : plait.commands) which.hints.push_back(one->name);
  command.action([&plait, names] {
    fmt::print("{}", help_text(command_named(plait, *names)));
    return 0;
  });
}

void add_completion(Command& plait) {
  const auto shell = std::make_shared<std::string>();
  Command& command =
      plait.add_command("completion", "Print the completion script of a shell", group::tools);
  command.describe(
      "These scripts are installed with Plait. To use one without installing Plait, load it when "
      "your shell starts.");
  command.argument("SHELL", *shell, "bash, zsh or fish").choices(completion_shells()).required();
  command.example("source <(plait completion bash)");
  command.example("plait completion fish > ~/.config/fish/completions/plait.fish");
  command.action([&plait, shell] {
    fmt::print("{}", completion_script(plait, *shell));
    return 0;
  });
}

}  // namespace

void add_self_description(Command& plait) {
  add_completion(plait);
  add_help(plait);
  const auto folder = std::make_shared<std::string>();
  Command& pages = plait.add_command("write-man-pages", "Write the manual pages into a folder");
  pages.hide();
  pages.argument("FOLDER", *folder, "Folder").required();
  pages.action([&plait, folder] {
    write_man_pages(plait, *folder);
    return 0;
  });
}

}  // namespace plait::cli
