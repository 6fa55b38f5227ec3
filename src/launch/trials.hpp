// SPDX-License-Identifier: BSD-3-Clause
// Runs two ways to start a program in turn, A B B A A B ..., so that what drifts meets both alike.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launch/ending.hpp"
#include "launch/environment.hpp"

namespace plait::launch {

/// One way to start the program.
struct TrialCommand {
  std::string name;  ///< "old", "new": of its output files
  std::vector<std::string> argv;
  Assignments environment;
};

struct TrialRequest {
  std::array<TrialCommand, 2> commands;
  std::filesystem::path folder;        ///< exists; each run's output goes there
  int most_pairs = 10;                 ///< after the pair that warms up
  std::optional<double> time_limit_s;  ///< of each run; empty: ten times the first, at least 10 s
  bool same_output = false;            ///< standard output must be the same, byte by byte
  /// Reads a run's time from its standard output; empty: the time of the whole command counts.
  std::function<std::optional<double>(const std::string& output)> time_of;
  /// Called after each run, for a line of progress.
  std::function<void(const std::string& name, int pair, double seconds)> progress;
  /// In place of commands[1] in the pair that warms up: the same, observed.
  std::optional<TrialCommand> observed;
  /// Called after that pair: a sentence ends the trials, the second command is not what it should
  /// be; an empty one lets them go on.
  std::function<std::string()> judge_observed;
  /// Called after each pair: true ends the trials, they are decided.
  std::function<bool(const std::vector<std::array<double, 2>>& seconds)> decided;
};

/// What stopped the trials.
struct TrialFailure {
  int command = 0;  ///< index into TrialRequest::commands
  int pair = 0;     ///< 0: the first run, which warms up
  JobEnding ending;
  std::string problem;  ///< one sentence
};

struct TrialResult {
  std::vector<std::array<double, 2>> seconds;  ///< of each pair, without the one that warms up
  std::array<double, 2> warm_up_s{};
  double limit_s = 0;  ///< of each run
  std::optional<TrialFailure> failure;
  std::optional<int> interrupted_by;  ///< the signal that ended the trials before their time
};

/// Runs one command once. Its output goes to FOLDER/NAME-LABEL.out and .err and nowhere else; after
/// the limit the whole job is killed (SIGTERM, then SIGKILL).
/// @throws Error when it cannot be started.
struct TrialRun {
  double seconds = 0;
  JobEnding ending;
  std::filesystem::path output;
  std::optional<int> interrupted_by;  ///< ProcessEnd::interrupted_by: its ending says nothing
};
TrialRun run_once(const TrialCommand& command, const std::filesystem::path& folder,
                  const std::string& label, std::optional<double> limit_s);

/// Runs both commands in turn until it is decided, or often enough, or one run fails or is
/// interrupted; what was measured until then stays in the result.
/// @throws Error as run_once.
TrialResult run_trials(const TrialRequest& request);

}  // namespace plait::launch
