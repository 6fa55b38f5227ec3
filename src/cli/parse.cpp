// SPDX-License-Identifier: BSD-3-Clause
// Reads a command line with CLI11. No other source includes CLI11, which takes seconds to compile.
#include "cli/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/suggestion.hpp"
#include "plait/error.hpp"

namespace plait::cli {
namespace {

/// An option beside what CLI11 knows of it.
struct Bound {
  Option* option;
  CLI::Option* parsed;
};

/// A command beside what CLI11 knows of it.
struct Level {
  Command* command = nullptr;
  CLI::App* app = nullptr;
  CLI::Option* help = nullptr;
  std::vector<Bound> options;
  std::deque<std::string> flag_values;
  std::deque<Level> below;
};

bool is_option(const std::string& text) {
  return text.size() > 1 && text.front() == '-';
}

CLI::Option* add_named(Level& level, const Option& option) {
  const std::string names = fmt::format("{}", fmt::join(option.names, ","));
  if (!option.implied.empty()) {
    return level.app->add_flag(names + "{" + option.implied + "}",
                               level.flag_values.emplace_back());
  }
  if (option.is_flag()) return level.app->add_flag_callback(names, [] {});
  return level.app->add_option(names, [](const CLI::results_t&) { return true; });
}

CLI::Option* add_argument(Level& level, const Option& option) {
  CLI::Option* const added =
      level.app->add_option("argument" + std::to_string(level.options.size()),
                            [](const CLI::results_t&) { return true; });
  if (option.matches) {
    added->check(CLI::Validator(
        [matches = option.matches](std::string& text) { return matches(text) ? "" : "other"; },
        ""));
  }
  return added;
}

/// Keeps an argument open, which refuses every text. Otherwise CLI11 would pass what follows "--"
/// to the parent command.
void pass_program_on(CLI::App& app) {
  app.prefix_command();
  app.validate_positionals();
  app.add_option("program", [](const CLI::results_t&) { return true; })
      ->check(CLI::Validator([](std::string&) { return std::string("the program's"); }, ""));
}

/// Declares a command and those of its subcommands whose names are among the arguments: to declare
/// all takes a millisecond.
void declare(Level& level, const std::set<std::string>& arguments) {
  CLI::App& app = *level.app;
  app.set_help_flag();
  level.help = app.add_flag_callback("-h,--help", [] {});
  for (Option& option : level.command->options) {
    CLI::Option* const added =
        option.is_argument() ? add_argument(level, option) : add_named(level, option);
    if (option.is_greedy) added->expected(-1);
    if (option.is_greedy || option.is_repeatable) {
      added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    level.options.push_back({&option, added});
  }
  if (level.command->program != nullptr) {
    pass_program_on(app);
  } else {
    app.allow_extras();
  }
  app.require_subcommand(0, 1);
  for (const auto& command : level.command->commands) {
    if (!arguments.contains(command->name)) continue;
    Level& below = level.below.emplace_back();
    below.command = command.get();
    below.app = app.add_subcommand(command->name);
    declare(below, arguments);
  }
}

Level& innermost(Level& level) {
  for (Level& below : level.below) {
    if (below.app->parsed()) return innermost(below);
  }
  return level;
}

[[noreturn]] void refuse_option(const Command& command, const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  std::vector<std::string> known{"--help"};
  for (const Option& option : command.options) {
    if (!option.is_argument()) known.push_back(option.long_name());
  }
  const std::string near = suggestion(name, known);
  throw Error(fmt::format("unknown option \"{}\"; {}", name,
                          near.empty() ? command.path() + " --help lists the options"
                                       : "did you mean \"" + near + "\"?"));
}

[[noreturn]] void refuse_command(const Command& command, const std::string& text) {
  std::vector<std::string> known;
  for (const auto& one : command.commands) {
    if (!one->is_hidden) known.push_back(one->name);
  }
  const std::string near = suggestion(text, known);
  throw Error(fmt::format("unknown command \"{}\"; {}", text,
                          near.empty() ? command.path() + " --help lists the commands"
                                       : "did you mean \"" + near + "\"?"));
}

[[noreturn]] void refuse_argument(const Command& command, const std::string& text) {
  if (command.given("--json")) {
    throw Error(
        fmt::format("unexpected argument \"{}\"; --json takes no value, --output FILE "
                    "writes to a file",
                    text));
  }
  throw Error(
      fmt::format("unexpected argument \"{}\"; {} --help shows the usage", text, command.path()));
}

/// Refuses what is left over; of a command that takes a program, stores it.
void take_rest(Level& level) {
  Command& command = *level.command;
  std::vector<std::string> rest = level.app->remaining();
  if (command.program == nullptr) {
    if (rest.empty()) return;
    if (is_option(rest.front()) && rest.front() != "--") refuse_option(command, rest.front());
    if (!command.commands.empty()) refuse_command(command, rest.front());
    refuse_argument(command, rest.front());
  }
  command.unread = rest;
  if (!rest.empty() && rest.front() != "--" && is_option(rest.front())) {
    refuse_option(command, rest.front());
  }
  if (!rest.empty() && rest.front() == "--") rest.erase(rest.begin());
  *command.program = std::move(rest);
}

void check_choice(const Option& option, const std::string& text) {
  if (option.values.empty()) return;
  if (std::find(option.values.begin(), option.values.end(), text) != option.values.end()) return;
  throw Error(fmt::format("{}: \"{}\" is not one of {}", option.long_name(), text,
                          fmt::join(option.values, ", ")));
}

void check_together(const Command& command) {
  for (const Option& option : command.options) {
    if (option.is_required && !option.is_given) {
      const std::string what =
          option.is_argument() ? option.value : option.long_name() + " " + option.value;
      throw Error(fmt::format("{} is missing; {} --help shows the usage", what, command.path()));
    }
    if (!option.is_given) continue;
    for (const std::string& other : option.excluded) {
      if (!command.given(other)) continue;
      throw Error(fmt::format("{} and {} cannot be used together; leave one of them out",
                              option.long_name(), other));
    }
    for (const std::string& other : option.needed) {
      if (command.given(other)) continue;
      throw Error(fmt::format("{} needs {}; give both", option.long_name(), other));
    }
  }
}

void store_values(Level& level) {
  for (const Bound& bound : level.options) {
    for (const std::string& text : bound.parsed->results()) {
      check_choice(*bound.option, text);
      bound.option->store(text);
    }
  }
}

/// The reason of an error that CLI11 found: a value is missing, or there are too many.
[[noreturn]] void refuse_values(Level& root, const CLI::ParseError& error) {
  Level& level = innermost(root);
  const std::string text = error.what();
  for (const Option& option : level.command->options) {
    const std::string& name = option.long_name();
    const bool is_this = text.starts_with(name + ":") || text.starts_with(name + " ") ||
                         text.find(" " + name + " ") != std::string::npos;
    if (option.is_argument() || !is_this) continue;
    if (option.is_flag() && option.implied.empty()) {
      throw Error(fmt::format("{} takes no value", name));
    }
    if (text.find("missing") != std::string::npos) {
      throw Error(fmt::format("{0} needs a value: {0} {1}", name, option.value));
    }
    throw Error(fmt::format("{} was given more than once; give it once", name));
  }
  throw Error(fmt::format("{}; {} --help shows the usage", text, level.command->path()));
}

}  // namespace

Parsed parse(Command& root, int argc, const char* const* argv) {
  CLI::App app;
  Level top;
  top.command = &root;
  top.app = &app;
  declare(top, {argv, argv + argc});
  const CLI::Option* const version = app.add_flag_callback("-V,--version", [] {});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    refuse_values(top, error);
  }
  Level& level = innermost(top);
  Parsed parsed{level.command, level.help->count() > 0, version->count() > 0};
  if (parsed.help || parsed.version) return parsed;
  for (Bound& bound : level.options) bound.option->is_given = bound.parsed->count() > 0;
  for (const Level* at = &top; at != &level;) {  // an argument before the subcommand
    const std::vector<std::string> rest = at->app->remaining();
    if (!rest.empty()) {
      is_option(rest.front()) ? refuse_option(*at->command, rest.front())
                              : refuse_command(*at->command, rest.front());
    }
    at = &*std::find_if(at->below.begin(), at->below.end(),
                        [](const Level& below) { return below.app->parsed(); });
  }
  const auto unread = static_cast<int>(level.app->remaining().size());
  level.command->typed.assign(argv, argv + (argc - unread));
  level.command->typed.front() = root.name;
  take_rest(level);
  if (!level.command->has_action()) {
    const std::string path = level.command->path();
    throw Error(fmt::format("{0} needs a command; {0} --help lists the commands", path));
  }
  store_values(level);
  check_together(*level.command);
  return parsed;
}

}  // namespace plait::cli
