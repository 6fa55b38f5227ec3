// SPDX-License-Identifier: BSD-3-Clause
// Declares commands with their options.
#include "cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "plait/error.hpp"

namespace plait::cli {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  if (separator.empty()) return {text};
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  return parts;
}

/// A number of this type within the range; errors name the option.
template <class Number>
Number parse_number(const std::string& option, const std::string& text, Range range) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const auto as_double = static_cast<double>(value);
  if (error != std::errc{} || rest != end || !(as_double >= range.least) ||
      !(as_double <= range.most)) {
    throw Error(fmt::format("{}: \"{}\" is not a number from {} to {}", option, text, range.least,
                            range.most));
  }
  return value;
}

template <class Number>
auto number_into(const std::string& option, Number& to, Range range) {
  return [option, &to, range](const std::string& text) {
    to = parse_number<Number>(option, text, range);
  };
}

/// The first value that is given replaces the default.
template <class Number>
auto numbers_into(const std::string& option, std::vector<Number>& to, Range range) {
  return [option, &to, range, first = true](const std::string& text) mutable {
    if (std::exchange(first, false)) to.clear();
    for (const std::string& part : split(text, ",")) {
      to.push_back(parse_number<Number>(option, part, range));
    }
  };
}

std::string last_name(const std::string& names) {
  return split(names, ",").back();
}

}  // namespace

Option& Option::defaults_to(const std::string& text) {
  default_value = text;
  return *this;
}

Option& Option::choices(std::vector<std::string> all) {
  values = std::move(all);
  return *this;
}

Option& Option::suggests(std::vector<std::string> some) {
  hints = std::move(some);
  return *this;
}

Option& Option::or_without_value(const std::string& value_then) {
  implied = value_then;
  return *this;
}

Option& Option::excludes(const std::string& option) {
  excluded.push_back(option);
  return *this;
}

Option& Option::needs(const std::string& option) {
  needed.push_back(option);
  return *this;
}

Option& Option::only_if(std::function<bool(const std::string&)> predicate) {
  matches = std::move(predicate);
  return *this;
}

Option& Option::completes(Complete with) {
  complete = with;
  return *this;
}

Option& Option::required() {
  is_required = true;
  return *this;
}

Option& Option::greedy() {
  is_greedy = true;
  return *this;
}

const std::string& Option::long_name() const {
  return names.empty() ? value : names.back();
}

Command::Command(std::string of_name, std::string of_summary)
    : name(std::move(of_name)), summary(std::move(of_summary)) {}

Command& Command::add_command(const std::string& of_name, const std::string& of_summary,
                              const std::string& of_group) {
  Command& added = *commands.emplace_back(std::make_unique<Command>(of_name, of_summary));
  added.parent = this;
  added.group = of_group;
  return added;
}

Option& Command::add(const std::string& names, const std::string& value, const std::string& help,
                     std::function<void(const std::string&)> store) {
  Option& added = options.emplace_back();
  if (!names.empty()) added.names = split(names, ",");
  added.value = value;
  added.help = help;
  added.heading = heading_;
  added.store = std::move(store);
  return added;
}

Option& Command::flag(const std::string& names, bool& to, const std::string& help) {
  return add(names, "", help, [&to](const std::string&) { to = true; });
}

Option& Command::option(const std::string& names, const std::string& value,
                        std::function<void(const std::string&)> store, const std::string& help) {
  return add(names, value, help, std::move(store));
}

Option& Command::option(const std::string& names, const std::string& value, std::string& to,
                        const std::string& help) {
  return add(names, value, help, [&to](const std::string& text) { to = text; });
}

Option& Command::option(const std::string& names, const std::string& value,
                        std::filesystem::path& to, const std::string& help) {
  return add(names, value, help, [&to](const std::string& text) { to = text; });
}

Option& Command::option(const std::string& names, const std::string& value, int& to, Range range,
                        const std::string& help) {
  return add(names, value, help, number_into(last_name(names), to, range));
}

Option& Command::option(const std::string& names, const std::string& value, std::int64_t& to,
                        Range range, const std::string& help) {
  return add(names, value, help, number_into(last_name(names), to, range));
}

Option& Command::option(const std::string& names, const std::string& value, double& to, Range range,
                        const std::string& help) {
  return add(names, value, help, number_into(last_name(names), to, range));
}

Option& Command::option(const std::string& names, const std::string& value,
                        std::optional<double>& to, Range range, const std::string& help) {
  return add(names, value, help, [&to, range, name = last_name(names)](const std::string& text) {
    to = parse_number<double>(name, text, range);
  });
}

Option& Command::list(const std::string& names, const std::string& value,
                      std::vector<std::string>& to, const std::string& separator,
                      const std::string& help) {
  // The first value that is given replaces the default.
  Option& added =
      add(names, value, help, [&to, separator, first = true](const std::string& text) mutable {
        if (std::exchange(first, false)) to.clear();
        for (std::string& part : split(text, separator)) to.push_back(part);
      });
  added.separator = separator;
  added.is_repeatable = true;
  return added;
}

Option& Command::list(const std::string& names, const std::string& value, std::vector<int>& to,
                      Range range, const std::string& help) {
  Option& added = add(names, value, help, numbers_into(last_name(names), to, range));
  added.separator = ",";
  added.is_repeatable = true;
  return added;
}

Option& Command::list(const std::string& names, const std::string& value, std::vector<double>& to,
                      Range range, const std::string& help) {
  Option& added = add(names, value, help, numbers_into(last_name(names), to, range));
  added.separator = ",";
  added.is_repeatable = true;
  return added;
}

Option& Command::argument(const std::string& value, std::string& to, const std::string& help) {
  return add("", value, help, [&to](const std::string& text) { to = text; });
}

Option& Command::arguments(const std::string& value, std::vector<std::string>& to,
                           const std::string& help) {
  Option& added = add("", value, help, [&to](const std::string& text) { to.push_back(text); });
  added.is_repeatable = true;
  added.is_greedy = true;
  return added;
}

void Command::takes_program(std::vector<std::string>& to, bool required) {
  program = &to;
  program_is_required = required;
}

bool Command::given(const std::string& option) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& one) { return one.is_given && one.long_name() == option; });
}

const Command* Command::find(const std::string& subcommand) const {
  for (const auto& command : commands) {
    if (command->name == subcommand) return command.get();
  }
  return nullptr;
}

std::string Command::path() const {
  return parent == nullptr ? name : parent->path() + " " + name;
}

}  // namespace plait::cli
