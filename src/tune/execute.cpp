// SPDX-License-Identifier: BSD-3-Clause
// Runs the pairs that a search asks for, and keeps the state of the tuning after each one.
#include "tune/execute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "advise/observed.hpp"
#include "advise/plan_quarantine.hpp"
#include "advise/trial_command.hpp"
#include "advise/trials.hpp"
#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "plait/error.hpp"
#include "run/supervise.hpp"
#include "tune/prober.hpp"
#include "tune/tune_file.hpp"

namespace plait::tune {
namespace {

namespace fs = std::filesystem;

constexpr double kProbeLimit_s = 30;

class Execution {
public:
  Execution(Tuning& tuning, const Registry& registry, fs::path folder, const BeforePair& before)
      : tuning_(tuning),
        registry_(registry),
        folder_(std::move(folder)),
        before_(before),
        command_(launcher::understand_command(tuning.command)) {
    if (tuning.probed) prober_.emplace(command_, tuning.ranks);
  }

  std::optional<int> run() {
    tuning_.state = TuningState::running;
    save();
    if (const auto signal = run_first()) return interrupted(*signal);
    if (const auto signal = check_probe()) return interrupted(*signal);
    while (const std::optional<std::size_t> at = next_pair(tuning_.search)) {
      try {
        if (const auto signal = run_pair(*at)) return interrupted(*signal);
      } catch (const Interrupted& interruption) {
        return interrupted(interruption.exit_code() - 128);
      }
      save();
    }
    tuning_.state = TuningState::finished;
    const SearchResult result = result_of(tuning_.search);
    if (!result.chosen.empty()) tuning_.read_back = effective_values(plan(result.chosen));
    save();
    return std::nullopt;
  }

private:
  void save() const { save_tuning(folder_, tuning_); }

  int interrupted(int signal) {
    tuning_.state = TuningState::interrupted;
    save();
    return signal;
  }

  [[nodiscard]] launcher::Plan plan(const std::vector<int>& candidates) const {
    std::vector<const Candidate*> together;
    for (const int candidate : candidates) {
      together.push_back(&tuning_.list.candidates[static_cast<std::size_t>(candidate)]);
    }
    return plan_of(registry_, together);
  }

  [[nodiscard]] advise::TrialCommand command(const std::vector<int>& candidates,
                                             const std::string& name,
                                             const fs::path& folder) const {
    if (candidates.empty()) return {name, tuning_.command, {}};
    return advise::trial_command(plan(candidates), command_, name, folder, {}, nullptr);
  }

  /// The first run of the original command: its output, its time and the limit of the others.
  std::optional<int> run_first() {
    fs::create_directories(folder_ / "runs");
    const advise::TrialRun run =
        advise::run_once({"first", tuning_.command, {}}, folder_ / "runs", "0", tuning_.limit_s);
    if (run.interrupted_by) return run.interrupted_by;
    if (run.outcome.kind != run::Outcome::ended) {
      throw Failure("the original command", run::outcome_sentence(run.outcome),
                    fmt::format("its output is in {}", run.output.string()));
    }
    tuning_.search.spent_s += run.seconds;
    output_ = read_text_file(run.output);
    const advise::TrialRequest request = advise::trial_request(tuning_.time_from, {});
    const std::optional<double> own = request.time_of ? request.time_of(output_) : run.seconds;
    if (!own || *own <= 0) {
      throw Error("--time-from", fmt::format("finds no time in {}", run.output.string()),
                  "change the expression");
    }
    tuning_.first_s = *own;
    if (!tuning_.limit_s) tuning_.limit_s = run::default_limit_s(run.seconds);
    return std::nullopt;
  }

  /// Screens on the program itself if the probe does not run here as the program does.
  /// @return the signal that interrupted it
  std::optional<int> check_probe() {
    if (!prober_ || probes_of(tuning_.search) > 0) return std::nullopt;
    const fs::path folder = folder_ / "runs" / "probe";
    fs::create_directories(folder);
    const std::vector<ProbeMessage> barrier{{"MPI_Barrier", tuning_.ranks, 0, 1}};
    const advise::TrialRun run = advise::run_once(
        {"probe", prober_->command(barrier, {}, folder).argv, {}}, folder, "0", kProbeLimit_s);
    if (run.interrupted_by) return run.interrupted_by;
    tuning_.search.spent_s += run.seconds;
    if (run.outcome.kind == run::Outcome::ended &&
        prober_->time_s(barrier, read_text_file(run.output))) {
      return std::nullopt;
    }
    prober_.reset();
    tuning_.probed = false;
    tuning_.notes.push_back(
        fmt::format("the probe of messages failed ({}), so settings were screened on the program",
                    run.output.string()));
    prepare_search(tuning_);
    return std::nullopt;
  }

  /// @return the signal that interrupted it
  std::optional<int> run_pair(std::size_t at) {
    Contest& contest = tuning_.search.contests[at];
    const bool probes = is_next_a_probe(tuning_.search, contest);
    auto& pairs = probes ? contest.probes : contest.pairs;
    const int pair = static_cast<int>(pairs.size()) + contest.disturbed + 1;
    if (pair == 1 && contest.stage == Stage::screening && is_ignored(contest)) return std::nullopt;
    const fs::path folder = folder_ / "runs" / fmt::format("{}", at + 1);
    fs::create_directories(folder);
    if (before_) before_(tuning_, contest, pair);
    const advise::TrialRequest request =
        probes ? probe_request(contest, pair, folder) : program_request(contest, pair, folder);
    const auto begin = std::chrono::steady_clock::now();
    const advise::TrialResult result = advise::run_trials(request);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (result.interrupted_by) return result.interrupted_by;
    tuning_.search.spent_s += spent.count();
    if (result.failure) {
      judge_failure(*result.failure, request.commands[1], folder, contest);
      return std::nullopt;
    }
    pairs.insert(pairs.end(), result.seconds.begin(), result.seconds.end());
    contest.disturbed += static_cast<int>(result.disturbed.size());
    if (probes) {
      look_at_values(request, pair, contest);
    } else {
      look_at_ways(request.commands[1], contest);
    }
    return std::nullopt;
  }

  /// One pair in a folder.
  static void set_pair(int pair, const fs::path& folder, advise::TrialRequest& request) {
    request.folder = folder;
    request.first_pair = pair;
    request.most_pairs = 1;
  }

  [[nodiscard]] advise::TrialRequest program_request(const Contest& contest, int pair,
                                                     const fs::path& folder) const {
    advise::TrialRequest request = advise::trial_request(tuning_.time_from, command_.launcher.kind);
    request.commands = {command(contest.before, "before", folder),
                        command(contest.after, "after", folder)};
    set_pair(pair, folder, request);
    request.time_limit_s = tuning_.limit_s;
    request.same_output = tuning_.same_output;
    if (tuning_.same_output) request.expected_output = output_;
    return request;
  }

  /// The messages of a candidate, without and with its settings.
  [[nodiscard]] advise::TrialRequest probe_request(const Contest& contest, int pair,
                                                   const fs::path& folder) const {
    const Candidate& candidate =
        tuning_.list.candidates[static_cast<std::size_t>(contest.after.front())];
    const launcher::Plan settings = plan(contest.after);
    const launcher::LaunchCommand probe =
        prober_->command(candidate.probe, variables_of(settings), folder);
    advise::TrialRequest request = advise::trial_request("", command_.launcher.kind);
    request.commands = {advise::TrialCommand{"probe-before", probe.argv, {}},
                        advise::trial_command(settings, probe, "probe-after", folder, {}, nullptr)};
    set_pair(pair, folder, request);
    request.time_limit_s = std::max(kProbeLimit_s, tuning_.limit_s.value_or(0));
    request.time_of = [this, &candidate](const std::string& output) {
      return prober_->time_s(candidate.probe, output);
    };
    return request;
  }

  /// The settings as the first rank of the probe read them. The contest has failed if they are not
  /// in effect.
  void look_at_values(const advise::TrialRequest& request, int pair, Contest& contest) const {
    const std::vector<std::string> ignored = ignored_inside(
        registry_, settings_in(plan(contest.after), request.folder),
        printed_in(request.folder / fmt::format("{}-{}.out", request.commands[1].name, pair)));
    if (!ignored.empty()) contest.failure = ignored_text(ignored);
  }

  /// With the folder of its files in their names.
  [[nodiscard]] static Settings settings_in(const launcher::Plan& plan, const fs::path& folder) {
    return launcher::environment_of(plan, folder);
  }

  static std::string ignored_text(const std::vector<std::string>& ignored) {
    return fmt::format("the library ignores {}", fmt::join(ignored, ", "));
  }

  /// True, and the contest has failed, if the library does not read a setting as it is meant.
  bool is_ignored(Contest& contest) const {
    std::vector<std::string> ignored;
    read_back(registry_, plan(contest.after).environment, ignored);
    if (ignored.empty()) return false;
    contest.failure = ignored_text(ignored);
    return true;
  }

  /// How a rank of a job with these settings reads them, else how the library's tool does.
  [[nodiscard]] std::vector<std::string> effective_values(const launcher::Plan& plan) const {
    std::vector<std::string> ignored, lines;
    if (prober_) {
      const fs::path folder = folder_ / "runs" / "values";
      const auto values = prober_->values(plan, variables_of(plan), folder);
      lines = compare_values(registry_, settings_in(plan, folder), values, kInside, ignored);
      const auto used = values.find(kProviderUsed);
      if (used != values.end()) {
        lines.push_back(
            fmt::format("libfabric's provider is {} (printed by a rank)", used->second));
      }
    }
    if (lines.empty()) lines = read_back(registry_, plan.environment, ignored);
    if (advise::needs_records(plan) && !seen_.empty()) lines.push_back(seen_);
    return lines;
  }

  /// Plait's ways of messages, as the ranks of the last run recorded them. The contest has failed
  /// if they did not go them.
  void look_at_ways(const advise::TrialCommand& after, Contest& contest) {
    if (after.records.empty()) return;
    const advise::SeenOfPlan seen =
        advise::look_at(plan(contest.after), command_, after.records.parent_path());
    if (!seen.kept) contest.failure = seen.sentence;
    seen_ = seen.sentence;
  }

  void judge_failure(const advise::TrialFailure& failure, const advise::TrialCommand& tried,
                     const fs::path& folder, Contest& contest) {
    if (failure.command == 0 && contest.before.empty()) {
      save();
      throw Failure("the original command", failure.problem,
                    fmt::format("its output is in {}", folder.string()));
    }
    contest.failure = failure.problem;
    if (failure.command == 0) return;
    const launcher::Plan settings = plan(contest.after);
    for (const run::Quarantined& entry : advise::quarantine_settings(
             {settings, command_, tried, failure.outcome, folder, *tuning_.limit_s})) {
      tuning_.quarantined.push_back(entry.id);
    }
  }

  Tuning& tuning_;
  const Registry& registry_;
  fs::path folder_;
  const BeforePair& before_;
  launcher::LaunchCommand command_;
  std::optional<Prober> prober_;
  std::string output_;  ///< of the first run
  std::string seen_;    ///< how messages were passed in the last run with Plait's ways
};

/// Leaves out candidates for which `why` returns a reason.
template <class Why>
void leave_out(CandidateList& list, Why why) {
  std::vector<Candidate> kept;
  for (Candidate& candidate : list.candidates) {
    const std::string reason = why(candidate);
    if (reason.empty()) {
      kept.push_back(std::move(candidate));
    } else {
      list.left_out.push_back(candidate.name + ": " + reason);
    }
  }
  list.candidates = std::move(kept);
}

}  // namespace

void leave_out_quarantined(const Registry& registry, const std::vector<run::Quarantined>& all,
                           CandidateList& list) {
  leave_out(list, [&](const Candidate& candidate) {
    const auto found = run::quarantined_in(all, registry.launcher,
                                           run::settings_of(plan_of(registry, {&candidate})));
    return found.empty() ? "" : "in quarantine: " + run::quarantine_sentence(found.front());
  });
}

void leave_out_given(const Registry& registry, const std::vector<std::string>& command,
                     CandidateList& list) {
  leave_out(list, [&](const Candidate& candidate) -> std::string {
    const launcher::Plan plan = plan_of(registry, {&candidate});
    for (std::size_t at = 0; at + 1 < command.size(); ++at) {
      const bool sets = command[at] == "--mca" || command[at] == "-mca";
      if (sets && plan.environment.contains("OMPI_MCA_" + command[at + 1])) {
        return fmt::format("the command sets {}", command[at + 1]);
      }
    }
    return "";
  });
}

void decide_on_probes(Tuning& tuning, const launcher::LaunchCommand& command) {
  tuning.probed = false;
  const bool any = std::any_of(tuning.list.candidates.begin(), tuning.list.candidates.end(),
                               [](const Candidate& candidate) { return !candidate.probe.empty(); });
  if (any) {
    try {
      const Prober prober(command, tuning.ranks);
      tuning.probed = true;
    } catch (const Error& error) {
      tuning.notes.push_back(
          fmt::format("settings were screened on the program: {}", error.what()));
    }
  }
  prepare_search(tuning);
}

std::optional<int> execute(Tuning& tuning, const Registry& registry, const fs::path& folder,
                           const BeforePair& before) {
  return Execution(tuning, registry, folder, before).run();
}

}  // namespace plait::tune
