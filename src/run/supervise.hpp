// SPDX-License-Identifier: BSD-3-Clause
// Runs a program as if it had been started directly, copies its output and enforces a time limit.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"

namespace plait::run {

/// The time limit of a run that usually takes so long: ten times that, at least 10 s.
constexpr double default_limit_s(double usual_s) {
  return usual_s > 1 ? 10 * usual_s : 10;
}

struct ProcessRequest {
  std::vector<std::string> argv;
  Assignments environment;            ///< set in addition to the environment of this process
  std::filesystem::path stdout_copy;  ///< empty: no copy
  std::filesystem::path stderr_copy;
  bool show_stdout = true;  ///< pass on its standard output
  bool show_stderr = true;
  /// Start it in a new process group, which gets the signals of the terminal as a whole. Off within
  /// a launcher, which must reach the program itself when it ends the job.
  bool own_group = true;
  /// For timed runs: standard input is /dev/null if it is a terminal, only this process gets ^C and
  /// ^Z, and the program has 5 s to end after INT, TERM, HUP or QUIT.
  bool unattended = false;
  std::optional<double> time_limit_s;
  /// Called every `watch_every` while the program runs; true ends it as the time limit does.
  std::function<bool()> watch;
  std::chrono::milliseconds watch_every{100};
  /// The program is a launcher that may hang after the end of its processes (StuckLauncher). After
  /// this time it gets SIGKILL, and the exit code is that of the first process that failed.
  std::optional<std::chrono::milliseconds> stuck_after;
};

struct ProcessEnd {
  int exit_code = -1;         ///< of the program, or 128 + signal
  std::optional<int> signal;  ///< the signal that ended it
  /// The first of INT, TERM, HUP, QUIT that we got, or INT if the program got ^C in our place.
  /// Empty if the program went on for more than 10 s after the last one.
  std::optional<int> interrupted_by;
  bool timed_out = false;
  bool ended_by_watch = false;
  double wall_s = 0;
  std::vector<std::string> problems;  ///< sentences: incomplete copies, output after the end
};

/// Runs a program to its end. It has our standard input; its output goes unchanged to our output
/// and into the copies. If our output is a terminal, the program sees a terminal (a pty without
/// output processing). INT, TERM, HUP, QUIT, USR1 and USR2 are passed on to it. A full disk ends
/// the copy, not the program. After the time limit it and all its descendants get SIGTERM, 5 s
/// later SIGKILL. Blocks signals and makes this process a subreaper while it runs, so only one call
/// at a time.
/// @throws Error when the program cannot be started.
ProcessEnd supervise(const ProcessRequest& request);

}  // namespace plait::run
