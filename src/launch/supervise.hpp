// SPDX-License-Identifier: BSD-3-Clause
// Runs a program as if Plait were not there, keeps a copy of its output, and ends it in time.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/environment.hpp"

namespace plait::launch {

struct ProcessRequest {
  std::vector<std::string> argv;
  Assignments environment;            ///< set on top of this process' own
  std::filesystem::path stdout_copy;  ///< empty: no copy
  std::filesystem::path stderr_copy;
  bool show_stdout = true;  ///< pass its standard output on
  bool show_stderr = true;
  /// A process group of its own, which the terminal's signals reach as a whole. Off within a
  /// launcher, which has to reach the program itself when it ends the job.
  bool own_group = true;
  /// Run to be measured: it has no terminal to read from (else /dev/null stands in for it), ^C and
  /// ^Z come to this process alone, and after INT, TERM, HUP or QUIT it has 5 s to end.
  bool unattended = false;
  std::optional<double> time_limit_s;
  /// Called about so often while the program runs; true ends it as the time limit does.
  std::function<bool()> watch;
  std::chrono::milliseconds watch_every{100};
};

struct ProcessEnd {
  int exit_code = -1;                 ///< its own, or 128 + signal
  std::optional<int> signal;          ///< that ended it
  std::optional<int> interrupted_by;  ///< the first of INT, TERM, HUP, QUIT that came to us
  bool timed_out = false;
  bool ended_by_watch = false;
  double wall_s = 0;
  std::vector<std::string> problems;  ///< sentences: a copy that was cut, output not waited for
};

/// Runs a program to its end. Its standard input is ours, its output goes to ours byte by byte and
/// into the copies; where ours is a terminal, the program sees a terminal (a pty without output
/// processing). INT, TERM, HUP, QUIT, USR1 and USR2 are passed on to it. A full disk ends the copy,
/// not the program. After the time limit it and all its descendants get SIGTERM, 5 s later SIGKILL.
/// Blocks signals and makes this process a subreaper while it runs: one call at a time.
/// @throws Error when the program cannot be started.
ProcessEnd supervise(const ProcessRequest& request);

}  // namespace plait::launch
