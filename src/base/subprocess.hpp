// SPDX-License-Identifier: BSD-3-Clause
// Runs a helper command with a time limit and collects its output.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plait {

/// The outcome of a command.
struct CommandResult {
  int exit_code = -1;      ///< exit status, or 128 + signal
  bool timed_out = false;  ///< the limit was reached; the process group was killed with SIGKILL
  std::string out;         ///< standard output
  std::string err;         ///< standard error
};

/// SIGINT, SIGTERM or SIGHUP arrived while a command ran. The command has ended, and this process
/// should end as well. This is not an Error, because code that continues after a failed command
/// must not continue after this.
class Interrupted : public std::runtime_error {
public:
  explicit Interrupted(int signal);
  /// 128 + signal.
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

private:
  int exit_code_;
};

/// Runs `argv` (argv[0] is looked up in PATH) in its own process group and waits for its end.
/// SIGINT, SIGTERM and SIGHUP are passed on to that group, which has 5 s to end before SIGKILL. If
/// this process is killed, the command gets SIGTERM. One call at a time.
/// @param limit  the whole group is killed after this time
/// @param input  bytes for its standard input, which is then closed
/// @param env    NAME=value pairs added to the environment
/// @throws Error when the command cannot be started, Interrupted after one of those signals.
CommandResult run_command(const std::vector<std::string>& argv, std::chrono::milliseconds limit,
                          const std::string& input = {},
                          const std::vector<std::pair<std::string, std::string>>& env = {});

/// The first executable of that name in PATH (or `name` itself when it contains a slash); empty
/// when there is none.
std::string find_in_path(const std::string& name);

}  // namespace plait
