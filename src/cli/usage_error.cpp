// SPDX-License-Identifier: BSD-3-Clause
#include "cli/usage_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>
#include <string>
#include <vector>

namespace plait::cli {
namespace {

/// The subcommand that was being parsed: "plait cluster up".
const CLI::App& innermost(const CLI::App& app, std::string& name) {
  const CLI::App* at = &app;
  name = at->get_name();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    name += ' ' + at->get_name();
  }
  return *at;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

/// "not in range 0.100000 to 86400.000000" as "not in range 0.1 to 86400"; what the user gave
/// stands before it and stays.
void shorten_range(std::string& text) {
  const std::size_t at = text.rfind(" not in range ");
  if (at == std::string::npos) return;
  std::string range = std::regex_replace(text.substr(at), std::regex(R"((\d+)\.0+\b)"), "$1");
  range = std::regex_replace(range, std::regex(R"((\.\d*[1-9])0+\b)"), "$1");
  text.replace(at, std::string::npos, range);
}

/// CLI11's reason in our words: "--budget: value -1 not in range 0.1 to 86400".
std::string reason_of(std::string text) {
  shorten_range(text);
  text = std::regex_replace(text, std::regex(R"(^(\S+): Value )"), "$1: value ");
  text = std::regex_replace(text, std::regex(R"(^Could not convert: (\S+) = ?)"), "$1 cannot be ");
  return std::regex_replace(text, std::regex(R"(: 1 required .+ missing$)"), ": no value given");
}

}  // namespace

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string name;
  const CLI::App& command = innermost(app, name);
  const std::string help = name + " --help tells what it takes";
  const std::vector<std::string> extra = command.remaining(true);
  constexpr int kUsage = 2;
  if (command.get_require_subcommand_min() > 0 && command.get_subcommands().empty()) {
    const std::string remedy = fmt::format("one of {}; {} --help tells of each",
                                           fmt::join(command_names(command), ", "), name);
    if (extra.empty()) return {name, "no command is given", remedy, kUsage};
    if (!is_option(extra.front())) {
      return {extra.front(), "is no command of " + name, remedy, kUsage};
    }
  }
  const bool spare = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (!extra.empty() && (spare || !command.get_subcommands({}).empty())) {
    const std::string reason = is_option(extra.front())
                                   ? "is no option of " + name
                                   : fmt::format("is one word more than {} takes", name);
    return {extra.front(), reason, help, kUsage};
  }
  return {name, reason_of(error.what()), help, kUsage};
}

}  // namespace plait::cli
