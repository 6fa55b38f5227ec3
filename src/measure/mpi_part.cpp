// SPDX-License-Identifier: BSD-3-Clause
// The MPI part of a measurement: plans the probe, runs it, reads its results.
#include "measure/mpi_part.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/failure.hpp"
#include "base/json_file.hpp"
#include "base/subprocess.hpp"
#include "measure/sizes.hpp"
#include "plait/error.hpp"
#include "text/units.hpp"

namespace plait::measure {
namespace {

namespace fs = std::filesystem;

// Shares of the time of a path. Ping-pong has the most figures, and all others refer to it.
constexpr double kPingpongShare = 3;
constexpr double kPingpingShare = 1.5;
constexpr double kOffCacheShare = 1.5;
constexpr double kTogetherShare = 1;
constexpr double kTogetherPingpingShare = 0.5;
constexpr double kOverheadShare = 0.5;
constexpr double kBackToBackShare = 0.5;

/// A temporary folder for the plan and the ranks' files, removed by the destructor.
class Scratch {
public:
  explicit Scratch(const fs::path& folder) {
    std::string name = (folder / "plait-measure-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Failure(name, "cannot create a temporary folder", "set TMPDIR");
    }
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }

private:
  fs::path path_;
};

/// The most informative line of the output of a failed launcher: the first that mentions an error,
/// else the last; lines that are only decoration are skipped.
std::string error_line(const std::string& text) {
  std::string last;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t-=|*") == std::string::npos) continue;
    last = line;
    for (const char* word : {"plait-probe:", "rror", "ERROR", "annot", "not found"}) {
      if (line.find(word) != std::string::npos) return fmt::format("{:.200}", line);
    }
  }
  return fmt::format("{:.200}", last);
}

std::string failure_of(const CommandResult& result, const ProbeOutput& output, std::size_t ranks,
                       double limit_s) {
  if (!output.errors.empty()) return output.errors.front();
  if (result.timed_out) {
    return fmt::format("the MPI run did not end within {} and was killed",
                       format_seconds(limit_s, Zeros::dropped));
  }
  if (result.exit_code != 0) {
    const std::string line = error_line(result.err.empty() ? result.out : result.err);
    return fmt::format("the launcher failed with exit code {}{}{}", result.exit_code,
                       line.empty() ? "" : ": ", line);
  }
  if (output.complete_ranks != static_cast<int>(ranks)) {
    return fmt::format("{} of {} ranks wrote no result",
                       ranks - static_cast<std::size_t>(output.complete_ranks), ranks);
  }
  if (!output.problems.empty()) return output.problems.front();
  return {};
}

}  // namespace

MpiPlan plan_mpi(const machine::Topology& topology, const std::vector<PathJob>& jobs,
                 const MpiRequest& request, const std::vector<std::string>& libraries) {
  MpiPlan plan;
  plan.probe.libraries = libraries;
  plan.probe.seed = kSeed;
  plan.probe.relative_width = request.rounds.relative_width;
  plan.probe.max_rounds = request.rounds.max_rounds;
  plan.probe.off_cache_bytes = request.off_cache ? request.off_cache_bytes : 0;

  std::set<int> used;
  const auto take = [&](const std::vector<machine::CorePair>& pairs) {
    for (const machine::CorePair& pair : pairs) {
      const auto pus = pus_of_pair(topology, pair);
      used.insert(pus.begin(), pus.end());
    }
  };
  for (const PathJob& job : jobs) {
    take(job.pairs);
    take(job.together);
  }
  plan.probe.pus.assign(used.begin(), used.end());
  std::map<int, int> rank_of;
  for (const int pu : plan.probe.pus) rank_of.emplace(pu, static_cast<int>(rank_of.size()));
  const auto ranks_of = [&](const machine::CorePair& pair) {
    const auto pus = pus_of_pair(topology, pair);
    return RankPair{rank_of.at(pus[0]), rank_of.at(pus[1])};
  };

  const double shares = kPingpongShare + kPingpingShare + kTogetherShare + kTogetherPingpingShare +
                        kOverheadShare + kBackToBackShare +
                        (request.off_cache ? kOffCacheShare : 0.0);
  const double share_s =
      request.seconds / static_cast<double>(std::max<std::size_t>(1, jobs.size())) / shares;
  // Ping-pong of all paths comes first, because it is most important if the run ends early.
  const auto add_one_by_one = [&](StepKind kind, double share) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const double pairs = static_cast<double>(jobs[j].pairs.size());
      for (const machine::CorePair& pair : jobs[j].pairs) {
        plan.probe.steps.push_back({kind, share * share_s / pairs, {ranks_of(pair)}});
        plan.origins.push_back({j, pair, 1});
      }
    }
  };
  add_one_by_one(StepKind::pingpong, kPingpongShare);
  add_one_by_one(StepKind::pingping, kPingpingShare);
  if (request.off_cache) add_one_by_one(StepKind::pingpong_off_cache, kOffCacheShare);
  // The CPU time of a message hardly depends on the pair.
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (jobs[j].pairs.empty()) continue;
    const machine::CorePair& pair = jobs[j].pairs.front();
    for (const auto& [kind, share] : {std::pair{StepKind::overhead, kOverheadShare},
                                      std::pair{StepKind::back_to_back, kBackToBackShare}}) {
      plan.probe.steps.push_back({kind, share * share_s, {ranks_of(pair)}});
      plan.origins.push_back({j, pair, 1});
    }
  }
  const auto add_together = [&](StepKind kind, double share) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const std::vector<machine::CorePair>& together = jobs[j].together;
      const std::vector<int> counts = pair_counts(static_cast<int>(together.size()));
      for (const int count : counts) {
        ProbeStep step;
        step.kind = kind;
        step.seconds = share * share_s / static_cast<double>(counts.size());
        for (int i = 0; i < count; ++i) {
          step.pairs.push_back(ranks_of(together[static_cast<std::size_t>(i)]));
        }
        plan.probe.steps.push_back(step);
        plan.origins.push_back({j, together.front(), count});
      }
    }
  };
  add_together(StepKind::multi_pair, kTogetherShare);
  add_together(StepKind::multi_pair_pingping, kTogetherPingpingShare);
  return plan;
}

MpiOutcome run_probe(const ProbeStart& start, const ProbePlan& plan, double limit_s) {
  const Scratch scratch(start.scratch_in);
  const fs::path plan_file = scratch / "plan";
  const fs::path output = scratch / "rank";
  write_text_file(plan_file, format_plan(plan));
  std::vector<std::string> command = start.command;
  command.insert(command.end(), {plan_file.string(), output.string()});
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(limit_s * 1000));
  const CommandResult result = run_command(command, limit, {}, start.environment);
  MpiOutcome outcome;
  outcome.output = read_probe_output(output, plan.pus.size());
  outcome.failure = failure_of(result, outcome.output, plan.pus.size(), limit_s);
  outcome.hung = result.timed_out;
  return outcome;
}

MpiOutcome run_mpi(const MpiChoice& mpi, const ProbePlan& plan, double limit_s) {
  return run_probe({probe_command(mpi, static_cast<int>(plan.pus.size())),
                    probe_environment(mpi, ::geteuid() == 0), fs::temp_directory_path()},
                   plan, limit_s);
}

}  // namespace plait::measure
