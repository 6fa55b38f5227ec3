// SPDX-License-Identifier: BSD-3-Clause
// An error that is not in the user's input, and the exit codes of errors.
#pragma once

#include <string>

#include "plait/error.hpp"

namespace plait {

/// Exit code of a command whose input cannot be used.
inline constexpr int kInputExit = 2;
/// Exit code of a command that failed for another reason.
inline constexpr int kFailureExit = 1;

/// Thrown when the system, another program or the installation failed.
class Failure : public Error {
public:
  Failure(const std::string& input, const std::string& reason, const std::string& remedy,
          int exit_code = kFailureExit)
      : Error(input, reason, remedy), exit_code_(exit_code) {}

  /// @param message  the whole line
  Failure(const std::string& message, int exit_code) : Error(message), exit_code_(exit_code) {}

  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

private:
  int exit_code_;
};

/// The exit code of a command that ends with this error.
inline int exit_code_of(const Error& error) noexcept {
  const auto* const failure = dynamic_cast<const Failure*>(&error);
  return failure == nullptr ? kInputExit : failure->exit_code();
}

}  // namespace plait
