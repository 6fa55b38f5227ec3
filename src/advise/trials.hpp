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
#include "launcher/launcher.hpp"
#include "run/outcome.hpp"

namespace plait::advise {

/// One way to start the program.
struct TrialCommand {
  std::string name;  ///< "old" or "new", in the names of its output files
  std::vector<std::string> argv;
  Assignments environment;
  std::filesystem::path records = {};  ///< emptied before each run; empty: none
};

/// A run of a command.
struct TrialRun {
  double seconds = 0;
  run::JobOutcome outcome;
  std::filesystem::path output;
  std::optional<int> interrupted_by;  ///< ProcessEnd::interrupted_by; then `outcome` has no meaning
  double other_cpus = 0;              ///< see run::OtherPrograms
};

struct TrialRequest {
  std::array<TrialCommand, 2> commands;
  std::filesystem::path folder;  ///< an existing folder for the output of each run
  int most_pairs = 10;           ///< after the warm-up pair
  int first_pair = 0;            ///< 0: the warm-up pair; else there is none, and a time limit
  std::optional<double>
      time_limit_s;          ///< of each run; empty: ten times the first run, at least 10 s
  bool same_output = false;  ///< require the same standard output, byte by byte
  std::optional<std::string> expected_output;  ///< that it must be; empty: that of the first run
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
  /// The CPUs that other programs used during a run; empty or NaN: not known. If it differs much
  /// between the two runs of a pair, the pair does not count and is repeated, at most `most_pairs`
  /// times.
  std::function<double(const TrialRun& run)> others;
};

/// What stopped the trials.
struct TrialFailure {
  int command = 0;  ///< index into TrialRequest::commands
  int pair = 0;     ///< 0: the warm-up pair
  run::JobOutcome outcome;
  std::string problem;  ///< one sentence
};

struct TrialResult {
  std::vector<std::array<double, 2>> seconds;    ///< of each pair that counts, without the warm-up
  std::vector<std::array<double, 2>> disturbed;  ///< of the pairs that do not count
  std::array<double, 2> others{};  ///< CPUs that other programs used, mean of the pairs that count
  std::array<double, 2> warm_up_s{};
  double limit_s = 0;  ///< of each run
  std::optional<TrialFailure> failure;
  std::optional<int> interrupted_by;  ///< the signal that ended the trials early
};

/// A request without commands that reads the time and the CPUs of others as the user wants.
/// @param time_from  regular expression whose first group is the time; empty: the whole command
/// @param kind       of the launcher that will start the jobs
/// @throws Error when that is not a regular expression.
TrialRequest trial_request(const std::string& time_from, launcher::LauncherKind kind);

/// Runs one command once. Its output goes only to FOLDER/NAME-LABEL.out and .err. After the time
/// limit the whole job is killed (SIGTERM, then SIGKILL).
/// @throws Error when it cannot be started.
TrialRun run_once(const TrialCommand& command, const std::filesystem::path& folder,
                  const std::string& label, std::optional<double> limit_s);

/// True if other programs used the CPUs so differently in the two runs of a pair that their times
/// cannot be compared: by more than a tenth of the CPUs.
/// @param others  CPUs used during each run; NaN: not known
bool is_disturbed(const std::array<double, 2>& others, int cpus);

/// Runs both commands in turn until the trials are decided, all pairs are done, or a run fails or
/// is interrupted. The result keeps what was measured until then.
/// @throws Error as run_once.
TrialResult run_trials(const TrialRequest& request);

}  // namespace plait::advise
