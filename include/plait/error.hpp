// SPDX-License-Identifier: BSD-3-Clause
// The error that Plait throws: what was wrong, why, and what helps.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace plait {

/// An error for a person: one line, `input: reason; remedy`.
/// The command line prints it behind `plait: error:` and exits with `exit_code`.
class Error : public std::runtime_error {
public:
  /// @param input   what the user gave (a path, an option, a program)
  /// @param reason  why it cannot be used
  /// @param remedy  what to do about it; may be empty
  Error(const std::string& input, const std::string& reason, const std::string& remedy,
        int exit_code = 2)
      : std::runtime_error(input + ": " + reason + (remedy.empty() ? "" : "; " + remedy)),
        exit_code_(exit_code) {}

  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

private:
  int exit_code_;
};

}  // namespace plait
