// SPDX-License-Identifier: BSD-3-Clause
// Declares commands with their options. Parsing, help, completion and man pages read the same
// declarations.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plait::cli {

/// The smallest and the largest number that an option takes.
struct Range {
  double least;
  double most;
};

/// What shells offer for a value that has no fixed choices.
enum class Complete { nothing, file, folder };

/// An option or an argument. Command declares it; the setters refine it and return it.
struct Option {
  std::vector<std::string> names;     ///< "-o", "--output"; empty for an argument
  std::string value;                  ///< name of the value, "FILE"; empty for a flag
  std::string help;                   ///< an imperative or a noun phrase, without a full stop
  std::string default_value;          ///< as help shows it; empty: none
  std::vector<std::string> values;    ///< all that it takes; empty: anything
  std::vector<std::string> hints;     ///< values that completion offers, others are taken too
  std::string implied;                ///< value of a flag without one: --trace is --trace=full
  std::string separator;              ///< between the values of a list: ","
  std::vector<std::string> excluded;  ///< options that cannot be given beside it
  std::vector<std::string> needed;    ///< options that must be given beside it
  std::string heading;                ///< of the options in help; empty: "Options"
  Complete complete = Complete::nothing;
  bool is_required = false;
  bool is_repeatable = false;
  bool is_greedy = false;  ///< takes all arguments up to the next option
  bool is_given = false;   ///< set by parse()
  /// An argument that does not match begins the program's command; empty: all match.
  std::function<bool(const std::string& text)> matches;
  /// Stores a value. Throws Error when it cannot be used.
  std::function<void(const std::string& text)> store;

  Option& defaults_to(const std::string& text);
  Option& choices(std::vector<std::string> all);
  Option& suggests(std::vector<std::string> some);
  Option& or_without_value(const std::string& value_then);
  Option& excludes(const std::string& option);
  Option& needs(const std::string& option);
  Option& only_if(std::function<bool(const std::string&)> predicate);
  Option& completes(Complete with);
  Option& required();
  Option& greedy();

  [[nodiscard]] bool is_argument() const { return names.empty(); }
  [[nodiscard]] bool is_flag() const { return !is_argument() && value.empty(); }
  [[nodiscard]] const std::string& long_name() const;  ///< "--output"; of an argument its value
};

/// A command with its options and subcommands. Variables that options are bound to must outlive it.
class Command {
public:
  Command(std::string name, std::string summary);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Adds a subcommand. @param group  heading in the parent's help; empty: "Commands"
  Command& add_command(const std::string& name, const std::string& summary,
                       const std::string& group = "");

  /// Options that are declared from now on stand under this heading.
  void heading(const std::string& text) { heading_ = text; }
  /// Adds a paragraph to the description.
  void describe(const std::string& paragraph) { paragraphs.push_back(paragraph); }
  /// Adds a block to the description that is printed as it is.
  void describe_verbatim(const std::string& text) { verbatim = text; }
  void example(const std::string& line) { examples.push_back(line); }
  /// Keeps the command out of help, completion and man pages.
  void hide() { is_hidden = true; }

  /// @param names  "-o,--output", the long name last
  /// @param value  name of its value: "FILE"
  Option& flag(const std::string& names, bool& to, const std::string& help);
  Option& option(const std::string& names, const std::string& value, std::string& to,
                 const std::string& help);
  Option& option(const std::string& names, const std::string& value, std::filesystem::path& to,
                 const std::string& help);
  Option& option(const std::string& names, const std::string& value, int& to, Range range,
                 const std::string& help);
  Option& option(const std::string& names, const std::string& value, std::int64_t& to, Range range,
                 const std::string& help);
  Option& option(const std::string& names, const std::string& value, double& to, Range range,
                 const std::string& help);
  Option& option(const std::string& names, const std::string& value, std::optional<double>& to,
                 Range range, const std::string& help);
  /// May be repeated. With a separator, one value may hold several.
  Option& list(const std::string& names, const std::string& value, std::vector<std::string>& to,
               const std::string& separator, const std::string& help);
  Option& list(const std::string& names, const std::string& value, std::vector<int>& to,
               Range range, const std::string& help);
  Option& list(const std::string& names, const std::string& value, std::vector<double>& to,
               Range range, const std::string& help);
  Option& option(const std::string& names, const std::string& value,
                 std::function<void(const std::string& text)> store, const std::string& help);

  Option& argument(const std::string& value, std::string& to, const std::string& help);
  Option& arguments(const std::string& value, std::vector<std::string>& to,
                    const std::string& help);

  /// From the first argument that is neither an option nor a declared argument, or from behind
  /// "--", everything belongs to another program's command line and is passed on unread.
  void takes_program(std::vector<std::string>& to, bool required = true);

  /// Called when the command line has been read. @return the exit code
  void action(std::function<int()> run) { run_ = std::move(run); }
  [[nodiscard]] int run() const { return run_(); }
  [[nodiscard]] bool has_action() const { return static_cast<bool>(run_); }

  /// Did the user give this option? @param name  "--nodes"
  [[nodiscard]] bool given(const std::string& name) const;

  [[nodiscard]] const Command* find(const std::string& subcommand) const;
  [[nodiscard]] std::string path() const;  ///< "plait cluster up"

  std::string name;
  std::string summary;  ///< one line, an imperative
  std::string group;
  std::vector<std::string> paragraphs;
  std::string verbatim;
  std::vector<std::string> examples;
  std::deque<Option> options;  ///< in the order of declaration, arguments among them
  std::vector<std::unique_ptr<Command>> commands;
  const Command* parent = nullptr;
  bool is_hidden = false;
  std::vector<std::string>* program = nullptr;  ///< see takes_program()
  bool program_is_required = false;
  std::vector<std::string> unread;  ///< set by parse(): the program's arguments, "--" included
  std::vector<std::string> typed;   ///< set by parse(): what comes before them, from "plait" on

private:
  Option& add(const std::string& names, const std::string& value, const std::string& help,
              std::function<void(const std::string&)> store);

  std::string heading_;
  std::function<int()> run_;
};

}  // namespace plait::cli
