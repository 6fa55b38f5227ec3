// SPDX-License-Identifier: BSD-3-Clause
// The command line of a solver: its options, their values, and what needs no run.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "plait/error.hpp"

namespace plait {

/// What a command line gives in place of a run.
struct CommandAnswer {
  std::string text;            ///< text to print instead of solving: help, version
  std::optional<Error> error;  ///< why the command line is invalid
};

/// The command line. It is read before MPI starts, because it may set the thread level.
template <class Options>
struct CommandLine : CommandAnswer {
  Options options;
};

/// An option: text with a value, texts if it may be repeated, or a flag. Without dashes: the
/// argument that is not an option.
struct OptionEntry {
  const char* name;
  const char* value;  ///< name of the value in the help; nullptr for flags
  std::variant<std::string*, std::vector<std::string>*, bool*> target;
  const char* help;
};

struct OptionGroup {
  const char* title;
  std::vector<OptionEntry> entries;
};

/// Options that cannot be given together.
struct Exclusion {
  std::string option, other;
};

/// A solver's command line.
struct CommandSyntax {
  const char* program;
  const char* summary;
  std::vector<OptionGroup> groups;
  std::vector<Exclusion> exclusions;
};

/// Sets the targets of the options, then calls `read_values`, which may throw an Error or set the
/// text. Reports invalid input, and the text of --help and --version, in `answer`. Local; the same
/// on every rank.
void parse_command_line(const CommandSyntax& syntax, int argc, char** argv, CommandAnswer& answer,
                        const std::function<void()>& read_values);

/// Prints the answer on rank 0 if it is a text. @return true if there is nothing else to do
/// @throws CollectiveError if the command line is invalid
bool is_answered(const CommandAnswer& answer, int rank);

/// Finds out before the long work whether rank 0 can write the file of an option; empty: none.
/// Collective over MPI_COMM_WORLD. @throws CollectiveError if it cannot
void check_writable(const std::string& option, const std::string& path, int rank);

/// "--option text: invalid value; use ACCEPTED".
Error refusal(const std::string& option, const std::string& text, const std::string& accepted);

/// Reads the whole text as a number from `least` to `most`. @throws Error that names the option
template <class Number>
Number read_number(const std::string& option, const std::string& text, Number least, Number most) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && stop == end && number >= least && number <= most) return number;
  std::ostringstream accepted;
  accepted << (std::numeric_limits<Number>::is_integer ? "a whole number" : "a number");
  if (most == std::numeric_limits<Number>::max()) {
    accepted << ", at least " << least;
  } else {
    accepted << " from " << least << " to " << most;
  }
  throw refusal(option, text, accepted.str());
}

/// The place of the text in a list of names. @throws Error that names the option and the list
std::size_t read_name(const std::string& option, const std::string& text,
                      std::span<const char* const> names);

/// The same for names in the order of an enumeration.
template <class Value, std::size_t count>
Value read_name(const std::string& option, const std::string& text,
                const std::array<const char*, count>& names) {
  return static_cast<Value>(read_name(option, text, std::span<const char* const>(names)));
}

/// The value of --threads; if it is empty, that of OMP_NUM_THREADS, otherwise 1.
/// @throws Error for another value
int read_threads(const std::string& text);

}  // namespace plait
