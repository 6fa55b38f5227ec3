// SPDX-License-Identifier: BSD-3-Clause
// Runs a helper command with a time limit and collects its output.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plait {

/// What became of a command.
struct CommandResult {
  int exit_code = -1;      ///< exit status, or 128 + signal
  bool timed_out = false;  ///< the limit ended it (its whole process group, by SIGKILL)
  std::string out;         ///< standard output
  std::string err;         ///< standard error
};

/// INT, TERM or HUP came while a command ran; it has ended, and so should this process. No Error:
/// whoever does without a command that failed must not go on after this.
class Interrupted : public std::runtime_error {
public:
  explicit Interrupted(int signal);
  /// 128 + signal.
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

private:
  int exit_code_;
};

/// Runs `argv` (argv[0] looked up in PATH) in a process group of its own, standard input closed.
/// INT, TERM and HUP are passed on to that group, which has 5 s to end before SIGKILL. Should this
/// process be killed, the command gets SIGTERM. One call at a time.
/// @param input  bytes for its standard input
/// @param limit  after which the whole group is killed
/// @param env    NAME=value pairs added to the environment
/// @throws Error when the command cannot be started, Interrupted after one of those signals.
CommandResult run_command(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                          const std::string& input = {},
                          const std::vector<std::pair<std::string, std::string>>& env = {});

/// The first executable of that name in PATH (or `name` itself when it holds a slash); empty if
/// none.
std::string find_in_path(const std::string& name);

}  // namespace plait
