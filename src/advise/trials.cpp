// SPDX-License-Identifier: BSD-3-Clause
// Runs two commands in turn, A B B A A B ..., so that drift affects both equally.
#include "advise/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/figure_in_text.hpp"
#include "base/json_file.hpp"
#include "run/other_programs.hpp"
#include "run/supervise.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;

class Trials {
public:
  explicit Trials(const TrialRequest& request)
      : request_(request), expected_(request.expected_output) {
    if (request.first_pair > 0) result_.limit_s = request.time_limit_s.value_or(0);
  }

  TrialResult run() {
    if (request_.first_pair == 0 && !warm_up()) return result_;
    const auto most = static_cast<std::size_t>(std::max(0, request_.most_pairs));
    for (int pair = std::max(1, request_.first_pair);
         result_.seconds.size() < most && result_.disturbed.size() < most; ++pair) {
      if (!run_pair(pair)) break;
      if (request_.decided && request_.decided(result_.seconds)) break;
    }
    const auto pairs = static_cast<double>(std::max<std::size_t>(1, result_.seconds.size()));
    for (double& cpus : result_.others) cpus /= pairs;
    return result_;
  }

private:
  /// False when the trials are over, because a run failed, was interrupted or did not follow the
  /// plan.
  bool warm_up() {
    if (!run_pair(0)) return false;
    const std::string problem = request_.judge_observed ? request_.judge_observed() : std::string{};
    if (!problem.empty()) fail(1, 0, {}, problem);
    return problem.empty();
  }

  /// False when the trials are over, because a run failed or was interrupted.
  bool run_pair(int pair) {
    std::array<double, 2> seconds{};
    for (int turn = 0; turn < 2; ++turn) {
      // The warm-up begins with the old command, whose time determines the limit.
      const int which = pair % 2 == 0 ? turn : 1 - turn;
      const std::optional<double> time = run_one(which, pair);
      if (!time) return false;
      seconds[static_cast<std::size_t>(which)] = *time;
    }
    if (pair == 0) {
      result_.warm_up_s = seconds;
    } else if (is_disturbed(others_, run::allowed_cpus())) {
      result_.disturbed.push_back(seconds);
    } else {
      result_.seconds.push_back(seconds);
      for (std::size_t i = 0; i < others_.size(); ++i) {
        if (!std::isnan(others_[i])) result_.others[i] += others_[i];
      }
    }
    return true;
  }

  std::optional<double> run_one(int which, int pair) {
    const bool observed = pair == 0 && which == 1 && request_.observed;
    const TrialCommand& command =
        observed ? *request_.observed : request_.commands[static_cast<std::size_t>(which)];
    const bool first = pair == 0 && which == 0;
    const std::optional<double> limit =
        first ? request_.time_limit_s : std::optional(result_.limit_s);
    const TrialRun run = run_once(command, request_.folder, std::to_string(pair), limit);
    others_[static_cast<std::size_t>(which)] = request_.others ? request_.others(run) : 0;
    result_.interrupted_by = run.interrupted_by;
    if (run.interrupted_by) return std::nullopt;
    if (first) {
      result_.limit_s = request_.time_limit_s.value_or(run::default_limit_s(run.seconds));
    }
    if (run.outcome.kind != run::Outcome::ended) {
      return fail(which, pair, run.outcome, run::outcome_sentence(run.outcome));
    }
    const std::string output =
        request_.same_output || request_.time_of ? read_text_file(run.output) : std::string{};
    if (request_.same_output) {
      if (!expected_) {
        expected_ = output;
      } else if (output != *expected_) {
        return fail(
            which, pair, run.outcome,
            fmt::format("its output ({}) differs from that of the first run", run.output.string()));
      }
    }
    double seconds = run.seconds;
    if (request_.time_of) {
      const std::optional<double> own = request_.time_of(output);
      if (!own || *own <= 0) {
        return fail(which, pair, run.outcome,
                    fmt::format("no time is in its output ({})", run.output.string()));
      }
      seconds = *own;
    }
    if (request_.progress) request_.progress(command.name, pair, seconds);
    return seconds;
  }

  std::optional<double> fail(int which, int pair, const run::JobOutcome& outcome,
                             const std::string& problem) {
    result_.failure = TrialFailure{which, pair, outcome, problem};
    return std::nullopt;
  }

  const TrialRequest& request_;
  TrialResult result_;
  std::array<double, 2> others_{};  ///< of the pair's runs
  std::optional<std::string> expected_;
};

}  // namespace

TrialRequest trial_request(const std::string& time_from, launcher::LauncherKind kind) {
  TrialRequest request;
  if (!time_from.empty()) {
    request.time_of = [expression = figure_expression("--time-from", time_from)](
                          const std::string& output) { return figure_in(output, expression); };
  }
  // A job that a daemon starts is not ours, so nothing distinguishes its use from that of others.
  if (kind != launcher::LauncherKind::slurm) {
    // The kernel counts use in ticks of 10 ms, which says nothing of a shorter run.
    constexpr double kShortestS = 0.1;
    request.others = [](const TrialRun& run) {
      return run.seconds < kShortestS ? std::nan("") : run.other_cpus;
    };
  }
  return request;
}

TrialRun run_once(const TrialCommand& command, const fs::path& folder, const std::string& label,
                  std::optional<double> limit_s) {
  const std::string name = command.name + "-" + label;
  if (!command.records.empty()) {
    fs::remove_all(command.records);
    fs::create_directories(command.records);
  }
  run::ProcessRequest process;
  process.argv = command.argv;
  process.environment = command.environment;
  process.stdout_copy = folder / (name + ".out");
  process.stderr_copy = folder / (name + ".err");
  process.show_stdout = false;
  process.show_stderr = false;
  process.time_limit_s = limit_s;
  process.unattended = true;
  const run::OtherPrograms others;
  const run::ProcessEnd end = run::supervise(process);
  const double other_cpus = others.cpus();
  const std::string output =
      read_text_file(process.stdout_copy) + "\n" + read_text_file(process.stderr_copy);
  return {end.wall_s, run::judge_outcome(end, output, limit_s), process.stdout_copy,
          end.interrupted_by, other_cpus};
}

bool is_disturbed(const std::array<double, 2>& others, int cpus) {
  constexpr double kDifference = 0.1;  // of the CPUs
  return std::abs(others[0] - others[1]) > kDifference * cpus;
}

TrialResult run_trials(const TrialRequest& request) {
  return Trials(request).run();
}

}  // namespace plait::advise
