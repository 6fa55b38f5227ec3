// SPDX-License-Identifier: BSD-3-Clause
// Runs two commands in turn, A B B A A B ..., so that drift affects both equally.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "run/outcome.hpp"

namespace plait::advise {

/// One way to start the program.
struct TrialCommand {
  std::string name;  ///< "old" or "new", in the names of its output files
  std::vector<std::string> argv;
  Assignments environment;
};

struct TrialRequest {
  std::array<TrialCommand, 2> commands;
  std::filesystem::path folder;  ///< an existing folder for the output of each run
  int most_pairs = 10;           ///< after the warm-up pair
  std::optional<double>
      time_limit_s;          ///< of each run; empty: ten times the first run, at least 10 s
  bool same_output = false;  ///< require the same standard output, byte by byte
  /// Reads the time of a run from its standard output; empty: use the time of the whole command.
  std::function<std::optional<double>(const std::string& output)> time_of;
  /// Called after each run, to report progress.
  std::function<void(const std::string& name, int pair, double seconds)> progress;
  /// Replaces commands[1] in the warm-up pair: the same command, observed.
  std::optional<TrialCommand> observed;
  /// Called after that pair. If the second command does not do what it should, returns a sentence,
  /// which ends the trials; else an empty string.
  std::function<std::string()> judge_observed;
  /// Called after each pair: true ends the trials because they are decided.
  std::function<bool(const std::vector<std::array<double, 2>>& seconds)> decided;
};

/// What stopped the trials.
struct TrialFailure {
  int command = 0;  ///< index into TrialRequest::commands
  int pair = 0;     ///< 0: the warm-up pair
  run::JobOutcome outcome;
  std::string problem;  ///< one sentence
};

struct TrialResult {
  std::vector<std::array<double, 2>> seconds;  ///< of each pair, without the warm-up pair
  std::array<double, 2> warm_up_s{};
  double limit_s = 0;  ///< of each run
  std::optional<TrialFailure> failure;
  std::optional<int> interrupted_by;  ///< the signal that ended the trials early
};

/// Runs one command once. Its output goes only to FOLDER/NAME-LABEL.out and .err. After the time
/// limit the whole job is killed (SIGTERM, then SIGKILL).
/// @throws Error when it cannot be started.
struct TrialRun {
  double seconds = 0;
  run::JobOutcome outcome;
  std::filesystem::path output;
  std::optional<int> interrupted_by;  ///< ProcessEnd::interrupted_by; then `outcome` has no meaning
};
TrialRun run_once(const TrialCommand& command, const std::filesystem::path& folder,
                  const std::string& label, std::optional<double> limit_s);

/// Runs both commands in turn until the trials are decided, all pairs are done, or a run fails or
/// is interrupted. The result keeps what was measured until then.
/// @throws Error as run_once.
TrialResult run_trials(const TrialRequest& request);

}  // namespace plait::advise
