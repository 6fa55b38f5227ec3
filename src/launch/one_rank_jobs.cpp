// SPDX-License-Identifier: BSD-3-Clause
// Whether a launcher and an MPI library that do not know each other made many jobs of one.
#include "launch/one_rank_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/mpi_library.hpp"
#include "launch/placement_options.hpp"
#include "plait/error.hpp"

namespace plait::launch {
namespace {

using Ranks = std::vector<const trace::RankRecord*>;

bool all_at_once(const Ranks& ranks) {
  double last_start = 0, first_end = 0;
  for (const trace::RankRecord* rank : ranks) {
    const double end = rank->start_unix_s + rank->last_s;
    last_start = std::max(last_start, rank->start_unix_s);
    first_end = rank == ranks.front() ? end : std::min(first_end, end);
  }
  return last_start < first_end;
}

/// What srun has to offer to this MPI library.
std::string srun_type(const trace::RankRecord& rank) {
  return rank.abi == PLAIT_ABI_OPENMPI ? "--mpi=pmix" : "--mpi=pmi2";
}

std::vector<std::string> with_type(const LaunchCommand& command, const std::string& type) {
  const auto launcher = command.argv.begin() + static_cast<std::ptrdiff_t>(command.launcher_index);
  const Application& first = command.applications.front();
  std::vector<std::string> words(command.argv.begin(), launcher + 1);
  words.push_back(type);
  const std::vector<std::string> kept = options_without(command, {"mpi"});
  words.insert(words.end(), kept.begin(), kept.end());
  words.insert(
      words.end(),
      command.argv.begin() + static_cast<std::ptrdiff_t>(first.index - first.wrapper.size()),
      command.argv.end());
  return words;
}

/// The command taken apart; empty within a launcher, where it is the program alone.
std::optional<LaunchCommand> whole_command(const Launcher& launcher,
                                           const std::vector<std::string>& command) {
  const std::size_t at = command.empty() ? 0 : behind_wrappers(command, 0);
  if (at >= command.size() || !is_launcher_name(command[at])) return std::nullopt;
  try {
    return parse_command(launcher, command, at);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<RunFinding> one_rank_jobs(const std::vector<trace::RankRecord>& records,
                                        const Launcher& launcher,
                                        const std::vector<std::string>& command) {
  Ranks ranks;
  for (const trace::RankRecord& record : records) {
    if (record.world_rank >= 0) ranks.push_back(&record);
    if (record.world_rank >= 0 && record.world_size != 1) return std::nullopt;
  }
  if (ranks.size() < 2 || launcher.kind == LauncherKind::none) return std::nullopt;
  const std::optional<LaunchCommand> whole = whole_command(launcher, command);
  const int count = static_cast<int>(ranks.size());
  const bool asked = whole && whole->ranks;
  if (asked ? *whole->ranks != count : !all_at_once(ranks)) return std::nullopt;

  const bool slurm = launcher.kind == LauncherKind::slurm;
  RunFinding found;
  found.finding.id = kOneRankJobs;
  found.finding.severity = "high";
  found.finding.what = fmt::format("{0} processes ran as {0} jobs of one rank each", count);
  found.finding.evidence =
      fmt::format("MPI_COMM_WORLD had one rank in each; {} does not know what started it",
                  short_library(ranks.front()->library));
  found.finding.cost = "each does the work of all, alone";
  found.finding.ranks_here = count;
  if (!slurm) {
    found.mend = "start it with the launcher of its own MPI library: plait doctor lists them";
    return found;
  }
  const std::string type = srun_type(*ranks.front());
  found.mend = fmt::format("srun {} ...; srun --mpi=list tells what this Slurm has", type);
  if (whole) found.mended_command = with_type(*whole, type);
  return found;
}

}  // namespace plait::launch
