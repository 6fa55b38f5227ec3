// SPDX-License-Identifier: BSD-3-Clause
// The error that Plait throws: what was wrong, why, and what helps.
#pragma once

#include <stdexcept>
#include <string>

namespace plait {

/// An error for a person: one line, `input: reason; remedy`.
class Error : public std::runtime_error {
public:
  /// @param input   what the user gave (a path, an option, a program)
  /// @param reason  why it cannot be used
  /// @param remedy  what to do about it; may be empty
  Error(const std::string& input, const std::string& reason, const std::string& remedy)
      : std::runtime_error(input + ": " + reason + (remedy.empty() ? "" : "; " + remedy)) {}

  /// @param message  the whole line
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace plait
