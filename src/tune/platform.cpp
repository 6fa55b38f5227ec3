// SPDX-License-Identifier: BSD-3-Clause
// Tunes an MPI library for a machine without a program: common sizes of messages and collective
// operations, measured by the probe.
#include "tune/platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "advise/plan_quarantine.hpp"
#include "advise/trial_command.hpp"
#include "advise/trials.hpp"
#include "base/environment.hpp"
#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "machine/machine_file.hpp"
#include "measure/probe_output.hpp"
#include "run/other_programs.hpp"
#include "run/quarantine.hpp"
#include "text/counted.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/table.hpp"
#include "text/units.hpp"
#include "text/wrap.hpp"
#include "tune/execute.hpp"
#include "tune/last_check.hpp"
#include "tune/prober.hpp"

namespace plait::tune {
namespace {

namespace fs = std::filesystem;

/// Smaller gains of messages are not looked for.
constexpr double kLeastGain = 0.05;
constexpr double kProbeLimit_s = 30;
/// All messages matter equally.
constexpr double kShare = 0.5;

/// Sizes of messages between two ranks, and of collective operations.
constexpr std::array<std::uint64_t, 5> kMessageBytes{512, 8192, 32768, 131072, 1048576};
constexpr std::array<std::uint64_t, 3> kCollectiveBytes{64, 8192, 262144};
constexpr std::array<const char*, 5> kOperations{"MPI_Bcast", "MPI_Allreduce", "MPI_Reduce",
                                                 "MPI_Alltoall", "MPI_Allgather"};

report::SizeRow size_row(std::uint64_t bytes) {
  // A class has the sizes from a power of two up to the next one.
  return {"point_to_point", bytes, 2 * bytes - 1, 1, bytes, 1.0};
}

void add_collective(const std::string& operation, int ranks, bool by_size, MessageUse& use) {
  std::vector<std::uint64_t> sizes(kCollectiveBytes.begin(), kCollectiveBytes.end());
  if (operation == "MPI_Barrier") sizes = {0};
  if (operation != "MPI_Barrier" && !by_size) sizes = {kCollectiveBytes[1]};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CollectiveUse one;
    one.operation = operation;
    one.ranks = ranks;
    one.share = kShare;
    one.calls = 1;
    one.mean_bytes = static_cast<double>(sizes[i]);
    // Borders are half way between the sizes, on a logarithmic scale.
    if (i > 0) one.from_bytes = use.collectives.back().to_bytes;
    one.to_bytes = kAllSizes;
    if (i + 1 < sizes.size()) {
      one.to_bytes = static_cast<std::uint64_t>(
          std::sqrt(static_cast<double>(sizes[i]) * static_cast<double>(sizes[i + 1])));
    }
    use.collectives.push_back(one);
  }
}

class PlatformRun {
public:
  PlatformRun(const PlatformRequest& request, const Registry& registry)
      : request_(request),
        registry_(registry),
        nodes_(std::max(1, static_cast<int>(request.nodes.size()))),
        ranks_(nodes_ * request.ranks_per_node),
        command_(probe_command()),
        prober_(command_, ranks_) {}

  PlatformTuning run() {
    result_.settings.made_for = advise::job_on(registry_.launcher, nodes_, ranks_);
    result_.settings.created = machine::utc_now();
    result_.settings.host = host_name();
    list_candidates();
    for (PlatformContest& contest : result_.contests) {
      if (!search(contest)) return std::move(result_);
    }
    if (!check_together()) return std::move(result_);
    take_winners();
    return std::move(result_);
  }

private:
  /// Times of a contest's messages with two sets of settings, in turn.
  struct Turn {
    std::vector<const Candidate*> before, after;
    int pair = 1;
  };

  /// A command of the probe, whose messages the prober then replaces.
  [[nodiscard]] launcher::LaunchCommand probe_command() const {
    std::vector<std::string> argv =
        request_.nodes.empty()
            ? measure::probe_command(request_.mpi, ranks_)
            : measure::probe_command(request_.mpi, request_.nodes, request_.ranks_per_node, {});
    return launcher::parse_command(request_.mpi.launcher, argv);
  }

  [[nodiscard]] double spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  void list_candidates() {
    const MessageUse use = platform_use(registry_, nodes_, ranks_);
    const std::vector<Violation> violations = violations_of(time_operations());
    for (const Violation& violation : violations) {
      result_.settings.findings.push_back("guideline: " + violation.sentence());
    }
    CandidateList list = candidates_of(use, registry_, run::allowed_cpus(), kLeastGain, violations);
    leave_out_quarantined(registry_, run::quarantined(), list);
    result_.left_out = std::move(list.left_out);
    for (Candidate& candidate : list.candidates) {
      if (candidate.probe.empty()) continue;  // its effect depends on a program
      auto same = std::find_if(result_.contests.begin(), result_.contests.end(),
                               [&](const PlatformContest& contest) {
                                 return contest.candidates.front().probe == candidate.probe;
                               });
      if (same == result_.contests.end()) {
        result_.contests.push_back({label_of(candidate), {}, {}});
        same = std::prev(result_.contests.end());
      }
      same->candidates.push_back(std::move(candidate));
    }
    // Messages between two ranks are what most programs send.
    std::stable_partition(
        result_.contests.begin(), result_.contests.end(),
        [](const PlatformContest& contest) { return contest.candidates.front().rules.empty(); });
    for (PlatformContest& contest : result_.contests) weigh(contest);
  }

  static std::string label_of(const Candidate& candidate) {
    const std::string& operation = candidate.probe.front().operation;
    if (operation == kExchange) return "messages between two ranks";
    return operation == kRemoteExchange ? "messages between nodes" : candidate.group;
  }

  /// False if ranks waited for a CPU whenever a message was measured.
  static bool was_quiet(std::size_t index, const std::string& output) {
    measure::ProbeOutput read;
    measure::add_probe_output(output, read);
    return std::any_of(read.cells.begin(), read.cells.end(), [&](const measure::ProbeCell& cell) {
      return cell.step == index && cell.disturbed == 0;
    });
  }

  /// The collective operations with the defaults, where nothing disturbed them.
  [[nodiscard]] std::vector<TimedOperation> time_operations() const {
    std::vector<ProbeMessage> messages;
    for (const char* operation : kOperations) {
      for (const std::uint64_t bytes : kCollectiveBytes) {
        messages.push_back({operation, ranks_, bytes, 1});
      }
    }
    messages.push_back({"MPI_Barrier", ranks_, 0, 1});
    const std::string output = output_of(messages, {}, request_.folder / "defaults");
    std::vector<TimedOperation> timed;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto seconds = prober_.time_of_message_s(messages[i], i, output);
      if (seconds && was_quiet(i, output)) {
        timed.push_back({messages[i].operation, ranks_, messages[i].bytes, *seconds});
      }
    }
    return timed;
  }

  /// Lets each size of a contest take the same time by default.
  void weigh(PlatformContest& contest) const {
    std::vector<ProbeMessage> weighed = contest.candidates.front().probe;
    if (weighed.size() > 1) {
      const std::string output = output_of(weighed, {}, request_.folder / "first");
      for (std::size_t i = 0; i < weighed.size(); ++i) {
        const auto time = prober_.time_of_message_s(weighed[i], i, output);
        if (!time) throw Failure("the probe", "has not timed all messages", "see its output");
        weighed[i].calls = 1 / *time;
      }
    }
    for (Candidate& candidate : contest.candidates) candidate.probe = weighed;
    for (const Candidate& candidate : contest.candidates) {
      contest.search.groups.push_back(candidate.group);
    }
    contest.search.rules.least_gain = kLeastGain;
    contest.search.rules.least_screened = 1 + kLeastGain;
    contest.search.rules.screening_pairs = 1;
    contest.search.rules.error_rate /=
        static_cast<double>(std::max<std::size_t>(1, result_.contests.size()));
  }

  /// What the probe prints with the settings of some candidates.
  [[nodiscard]] std::string output_of(const std::vector<ProbeMessage>& messages,
                                      const launcher::Plan& plan, const fs::path& folder) const {
    fs::create_directories(folder);
    const advise::TrialRun run =
        advise::run_once(advise::trial_command(plan, prober_.command(messages, {}, folder), "probe",
                                               folder, {}, nullptr),
                         folder, "0", kProbeLimit_s);
    if (run.interrupted_by) throw Interrupted(*run.interrupted_by);
    if (run.outcome.kind == run::Outcome::ended) return read_text_file(run.output);
    throw Failure("the probe", run::outcome_sentence(run.outcome),
                  fmt::format("its output is in {}", folder.string()));
  }

  [[nodiscard]] static std::vector<const Candidate*> some(const PlatformContest& contest,
                                                          const std::vector<int>& which) {
    std::vector<const Candidate*> all;
    for (const int at : which) all.push_back(&contest.candidates[static_cast<std::size_t>(at)]);
    return all;
  }

  /// One pair. @return its result
  [[nodiscard]] advise::TrialResult run_turn(const PlatformContest& contest, const Turn& turn,
                                             const fs::path& folder) {
    const double begin_s = spent();
    fs::create_directories(folder);
    const std::vector<ProbeMessage>& messages = contest.candidates.front().probe;
    const launcher::LaunchCommand probe =
        prober_.command(messages, variables_of(plan_of(registry_, turn.after)), folder);
    advise::TrialRequest request = advise::trial_request("", command_.launcher.kind);
    request.commands = {command_with(turn.before, probe, "before", folder),
                        command_with(turn.after, probe, "after", folder)};
    request.folder = folder;
    request.first_pair = turn.pair;
    request.most_pairs = 1;
    request.time_limit_s = kProbeLimit_s;
    request.time_of = [&](const std::string& output) { return prober_.time_s(messages, output); };
    advise::TrialResult result = advise::run_trials(request);
    longest_pair_s_ = std::max(longest_pair_s_, spent() - begin_s);
    return result;
  }

  [[nodiscard]] advise::TrialCommand command_with(const std::vector<const Candidate*>& candidates,
                                                  const launcher::LaunchCommand& probe,
                                                  const std::string& name,
                                                  const fs::path& folder) const {
    if (candidates.empty()) return {name, probe.argv, {}};
    return advise::trial_command(plan_of(registry_, candidates), probe, name, folder, {}, nullptr);
  }

  /// False if it was interrupted.
  bool search(PlatformContest& contest) {
    // What earlier contests left of their budgets is for the later ones.
    const auto at = static_cast<std::size_t>(&contest - result_.contests.data());
    const auto left = static_cast<double>(result_.contests.size() - at);
    contest.search.rules.most_rounds = 1;
    contest.search.budget_s = std::max(0.0, searching_budget_s(request_.budget_s) - spent()) / left;
    while (const auto next = next_pair(contest.search)) {
      Contest& tried = contest.search.contests[*next];
      const std::vector<const Candidate*> after = some(contest, tried.after);
      if (request_.progress) request_.progress(plan_of(registry_, after).name);
      const fs::path folder = request_.folder / "runs" / fmt::format("{}-{}", at + 1, *next + 1);
      const double before_s = spent();
      const advise::TrialResult result =
          run_turn(contest,
                   {some(contest, tried.before), after,
                    static_cast<int>(tried.pairs.size()) + tried.disturbed + 1},
                   folder);
      contest.search.spent_s += spent() - before_s;
      result_.spent_s = spent();
      if (result.interrupted_by) {
        result_.interrupted_by = result.interrupted_by;
        return false;
      }
      tried.pairs.insert(tried.pairs.end(), result.seconds.begin(), result.seconds.end());
      tried.disturbed += static_cast<int>(result.disturbed.size());
      if (result.failure) {
        judge_failure(*result.failure, contest, folder, tried);
      } else {
        look_at_values(after, folder, tried);
      }
    }
    return true;
  }

  /// A contest has failed if its settings are not in effect in a rank.
  void look_at_values(const std::vector<const Candidate*>& after, const fs::path& folder,
                      Contest& tried) const {
    const auto pair = tried.pairs.size() + static_cast<std::size_t>(tried.disturbed);
    const std::vector<std::string> ignored =
        ignored_inside(registry_, launcher::environment_of(plan_of(registry_, after), folder),
                       printed_in(folder / fmt::format("after-{}.out", pair)));
    if (!ignored.empty()) {
      tried.failure = fmt::format("the library ignores {}", fmt::join(ignored, ", "));
    }
  }

  void judge_failure(const advise::TrialFailure& failure, const PlatformContest& contest,
                     const fs::path& folder, Contest& tried) const {
    if (failure.command == 0 && tried.before.empty()) {
      throw Failure("the probe", failure.problem,
                    fmt::format("its output is in {}", folder.string()));
    }
    tried.failure = failure.problem;
    if (failure.command == 0) return;
    const std::vector<const Candidate*> after = some(contest, tried.after);
    const launcher::LaunchCommand probe =
        prober_.command(contest.candidates.front().probe, {}, folder);
    advise::quarantine_settings({plan_of(registry_, after), probe,
                                 command_with(after, probe, "after", folder), failure.outcome,
                                 folder, kProbeLimit_s});
  }

  /// The winners of all contests.
  [[nodiscard]] std::vector<const Candidate*> winners() const {
    std::vector<const Candidate*> all;
    for (const PlatformContest& contest : result_.contests) {
      const SearchResult result = result_of(contest.search);
      if (result.verdict != Verdict::won) continue;
      const std::vector<const Candidate*> chosen = some(contest, result.chosen);
      all.insert(all.end(), chosen.begin(), chosen.end());
    }
    return all;
  }

  /// Measures all messages with all winners together, in new runs. If some are clearly slower, no
  /// setting is kept. False if it was interrupted.
  bool check_together() {
    const std::vector<const Candidate*> all = winners();
    if (all.empty()) return true;
    LastCheck check{std::vector<LastCheck::Kind>(result_.contests.size()), request_.budget_s,
                    longest_pair_s_};
    while (const auto at = next_kind(check, spent())) {
      LastCheck::Kind& kind = check.kinds[*at];
      const advise::TrialResult result =
          run_turn(result_.contests[*at], {{}, all, ++kind.pairs},
                   request_.folder / "runs" / fmt::format("{}-together", *at + 1));
      check.longest_pair_s = longest_pair_s_;
      if (result.interrupted_by) {
        result_.interrupted_by = result.interrupted_by;
        return false;
      }
      if (result.failure) {
        slower_ = result_.contests[*at].messages + ": " + result.failure->problem;
        return true;
      }
      for (const auto& [before, after] : result.seconds) kind.ratios.push_back(before / after);
    }
    const auto slower = slower_kind(check, kLeastGain);
    result_.unchecked = !is_complete(check);
    if (slower) {
      slower_ = result_.contests[*slower].messages + " are slower with them";
    } else if (result_.unchecked) {
      slower_ = "not all messages could be measured with them in the budget";
    }
    result_.spent_s = spent();
    return true;
  }

  void take_winners() {
    for (const PlatformContest& contest : result_.contests) {
      const SearchResult result = result_of(contest.search);
      if (result.verdict == Verdict::unfinished) ++result_.unfinished;
      if (result.verdict != Verdict::won || !result.ratio) continue;
      result_.settings.findings.push_back(fmt::format(
          "{}: {} times as fast with {}, confirmed in {} of runs", contest.messages,
          format_interval(result.ratio->median, result.ratio->low, result.ratio->high,
                          format_ratio),
          plan_of(registry_, some(contest, result.chosen)).name, counted(result.pairs, "pair")));
    }
    if (result_.unfinished > 0) {
      result_.settings.findings.push_back(
          fmt::format("not searched to the end in the budget: {} of {} kinds of messages",
                      result_.unfinished, result_.contests.size()));
    }
    const std::vector<const Candidate*> all = winners();
    if (!slower_.empty()) {
      result_.settings.findings.push_back("not kept together: " + slower_);
    } else if (!all.empty()) {
      launcher::Plan plan = plan_of(registry_, all);
      plan.reason = fmt::format("Measured for {}.", advise::job_text(result_.settings.made_for));
      plan.source = request_.folder.string();
      result_.settings.plan = std::move(plan);
    }
  }

  const PlatformRequest& request_;
  const Registry& registry_;
  int nodes_, ranks_;
  launcher::LaunchCommand command_;
  Prober prober_;
  PlatformTuning result_;
  std::string slower_;  ///< messages that the winners together make slower
  double longest_pair_s_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::string verdict_text(const SearchResult& result) {
  switch (result.verdict) {
    case Verdict::won:
      return "faster";
    case Verdict::nothing:
      return "nothing to gain";
    case Verdict::undecided:
      return "undecided";
    case Verdict::unconfirmed:
      return "not confirmed";
    case Verdict::unfinished:
      break;
  }
  return "not finished";
}

}  // namespace

MessageUse platform_use(const Registry& registry, int nodes, int ranks) {
  MessageUse use;
  use.mpi_share = 1;
  use.message_share = ranks > 1 ? kShare : 0;
  use.nodes = static_cast<std::size_t>(nodes);
  use.ranks_per_node = ranks / nodes;
  use.remote_share = nodes > 1 ? kShare : 0;
  use.threads_per_cpu = 1;
  for (const std::uint64_t bytes : kMessageBytes) use.sizes.push_back(size_row(bytes));
  for (const char* operation : kOperations) {
    add_collective(operation, ranks,
                   has_size_rules(registry.launcher.kind, operation, true, registry.mpich_trees),
                   use);
  }
  add_collective("MPI_Barrier", ranks, false, use);
  return use;
}

bool is_unfinished(const PlatformTuning& tuning) {
  return !tuning.settings.plan && (tuning.unfinished > 0 || tuning.unchecked);
}

PlatformTuning tune_platform(const PlatformRequest& request, const Registry& registry) {
  return PlatformRun(request, registry).run();
}

std::vector<std::string> platform_lines(const PlatformTuning& tuning) {
  const advise::TunedSettings& settings = tuning.settings;
  std::vector<std::string> lines = wrap(
      settings.plan
          ? fmt::format("For {}: {}.", advise::job_text(settings.made_for), settings.plan->name)
          : fmt::format("{} for {}.",
                        is_unfinished(tuning) ? "Nothing found in the budget" : "Nothing to gain",
                        advise::job_text(settings.made_for)));
  lines.emplace_back();
  Table table({text_column("messages", truncate), number_column("settings"), number_column("runs"),
               number_column("ratio"), text_column("", truncate)});
  for (const PlatformContest& contest : tuning.contests) {
    const SearchResult result = result_of(contest.search);
    table.add({contest.messages, std::to_string(contest.candidates.size()),
               std::to_string(runs_of(contest.search)),
               result.ratio ? format_ratio(result.ratio->median) : "", verdict_text(result)});
  }
  for (const std::string& line : table.lines()) lines.push_back(line);
  lines.emplace_back();
  for (const std::string& finding : settings.findings) {
    for (const std::string& line : wrap_beside("- ", finding)) lines.push_back(line);
  }
  for (const std::string& left_out : tuning.left_out) {
    for (const std::string& line : wrap_beside("not tried: ", left_out)) lines.push_back(line);
  }
  return lines;
}

}  // namespace plait::tune
