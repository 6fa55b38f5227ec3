// SPDX-License-Identifier: BSD-3-Clause
// Judges the placement of a run from its records: findings, each with a fix.
#include "run/judge_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <set>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "base/json_file.hpp"
#include "base/mpi_library.hpp"
#include "launcher/command_options.hpp"
#include "launcher/fix.hpp"
#include "launcher/launcher_traits.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

using machine::CpuSet;

bool declared_oversubscribed(const std::vector<std::string>& command) {
  return std::any_of(command.begin(), command.end(), [](const std::string& argument) {
    std::string lower = argument;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower == "--oversubscribe" || lower == "-oversubscribe" ||
           lower.find(":oversubscribe") != lower.npos;
  });
}

/// From the record, else from the library: Open MPI yields only if oversubscription was declared;
/// MPICH spins; Intel MPI yields after a while.
placement::Waiting waiting_of(const trace::RankRecord& record, bool oversubscribe) {
  if (record.mpi_yields >= 0) {
    return record.mpi_yields > 0 ? placement::Waiting::yields : placement::Waiting::spins;
  }
  if (record.library.find("Intel") != record.library.npos) return placement::Waiting::yields;
  if (record.abi == PLAIT_ABI_OPENMPI) {
    return oversubscribe ? placement::Waiting::yields : placement::Waiting::spins;
  }
  return record.abi == PLAIT_ABI_MPICH ? placement::Waiting::spins : placement::Waiting::unknown;
}

/// The threads that compute: OpenMP threads after the first parallel region, else the main thread.
std::vector<placement::ThreadPlace> threads_of(const trace::RankRecord& record,
                                               bool& after_parallel) {
  std::map<int, placement::ThreadPlace> threads;  // by OpenMP number
  after_parallel = false;
  for (const trace::PlacementSample& sample : record.placement) {
    if (sample.phase != PLAIT_PHASE_AFTER_PARALLEL || sample.thread < 0) continue;
    after_parallel = true;
    threads[sample.thread] = {sample.thread, sample.tid, CpuSet::of(sample.allowed)};
  }
  if (!after_parallel) {
    for (const trace::PlacementSample& sample : record.placement) {
      if (sample.tid != record.pid && sample.thread != 0) continue;
      threads[0] = {0, sample.tid, CpuSet::of(sample.allowed)};
      if (sample.tid == record.pid) break;
    }
  }
  std::vector<placement::ThreadPlace> result;
  for (auto& [number, thread] : threads) result.push_back(std::move(thread));
  return result;
}

/// How many threads compute. A program that links an OpenMP runtime may not use it, so the threads
/// that the runtime would start count only if Plait cannot see its parallel regions.
int threads_wanted(const trace::RankRecord& record, bool after_parallel, std::size_t seen) {
  double most = static_cast<double>(seen);
  for (const trace::ParallelRegion& region : record.parallel_regions) {
    most = std::max(most, region.mean_threads);
  }
  const bool unseen_regions = after_parallel && record.parallel_regions.empty();
  if (record.openmp_view == PLAIT_OPENMP_BLIND || unseen_regions) {
    most = std::max(most, static_cast<double>(record.omp_max_threads));
  }
  return static_cast<int>(std::lround(most));
}

/// CPU time used and time waiting for a CPU of all threads, from MPI_Init to the last sample.
void account(const trace::RankRecord& record, placement::RankPlace& rank) {
  double cpu_s = 0;
  double cpu_wait_s = 0;
  for (const trace::CpuWaitSample& sample : record.cpu_wait) {
    cpu_s += sample.at_end ? sample.cpu_s : -sample.cpu_s;
    cpu_wait_s += sample.at_end ? sample.wait_s : -sample.wait_s;
  }
  if (cpu_s <= 0) return;  // no second sample: the process was killed early
  rank.cpu_s = cpu_s;
  rank.cpu_wait_s = std::max(0.0, cpu_wait_s);
}

/// The whole command with the fix; empty if it cannot be parsed: then only the text of the fix is
/// given.
std::vector<std::string> fixed_whole(const launcher::Launcher& launcher,
                                     const std::vector<std::string>& command, std::size_t at,
                                     const launcher::Fix& fixed) {
  try {
    return launcher::fixed_command(launcher::parse_command(launcher, command, at), fixed);
  } catch (const Error&) {
    return {};
  }
}

/// The hardware threads of each node of the emulated cluster around this process; empty outside a
/// cluster. All its nodes have the same machine file.
std::map<std::string, CpuSet> emulated_nodes() {
  std::map<std::string, CpuSet> nodes;
  const std::filesystem::path folder = environment_value("PLAIT_CLUSTER");
  if (folder.empty() || !std::filesystem::exists(folder / "cluster.json")) return nodes;
  try {
    const auto document = read_json_file(folder / "cluster.json", "plait-cluster", 1);
    for (const auto& node : document.at("clusters").at(0).at("nodes")) {
      nodes[node.at("name")] = CpuSet::of(node.at("pus").get<std::vector<int>>());
    }
  } catch (const std::exception&) {
    nodes.clear();  // use the machine file alone
  }
  return nodes;
}

class HostIndex {
public:
  HostIndex(const machine::MachineFile& machine, std::vector<placement::HostPlaces>& hosts)
      : machine_(machine), hosts_(hosts) {}

  int operator()(const trace::RankRecord& record) {
    const auto [known, added] = index_.try_emplace(record.host, static_cast<int>(hosts_.size()));
    if (added) {
      placement::HostPlaces host{record.host, machine_.topology};
      if (record.cgroup_quota_cores) host.topology.cgroup_quota_cores = record.cgroup_quota_cores;
      const auto own = emulated_.find(record.host);
      if (own != emulated_.end()) host.topology.allowed_pus = own->second;
      hosts_.push_back(std::move(host));
    }
    return known->second;
  }

private:
  const machine::MachineFile& machine_;
  std::vector<placement::HostPlaces>& hosts_;
  std::map<std::string, int> index_;
  std::map<std::string, CpuSet> emulated_ = emulated_nodes();
};

bool all_at_once(const std::vector<const trace::RankRecord*>& ranks) {
  double last_start = 0, first_end = 0;
  for (const trace::RankRecord* rank : ranks) {
    const double end = rank->start_unix_s + rank->last_s;
    last_start = std::max(last_start, rank->start_unix_s);
    first_end = rank == ranks.front() ? end : std::min(first_end, end);
  }
  return last_start < first_end;
}

/// The option of srun for this MPI library.
std::string srun_type(const trace::RankRecord& rank) {
  return rank.abi == PLAIT_ABI_OPENMPI ? "--mpi=pmix" : "--mpi=pmi2";
}

std::vector<std::string> with_type(const launcher::LaunchCommand& command,
                                   const std::string& type) {
  const auto launcher = command.argv.begin() + static_cast<std::ptrdiff_t>(command.launcher_index);
  const launcher::Application& first = command.applications.front();
  std::vector<std::string> argv(command.argv.begin(), launcher + 1);
  argv.push_back(type);
  const std::vector<std::string> kept = launcher::options_without(command, {"mpi"});
  argv.insert(argv.end(), kept.begin(), kept.end());
  argv.insert(
      argv.end(),
      command.argv.begin() + static_cast<std::ptrdiff_t>(first.index - first.wrapper.size()),
      command.argv.end());
  return argv;
}

/// The parsed command; empty within a launcher, where the command is the program alone.
std::optional<launcher::LaunchCommand> whole_command(const launcher::Launcher& launcher,
                                                     const std::vector<std::string>& command) {
  const std::size_t at = command.empty() ? 0 : launcher::behind_wrappers(command, 0);
  if (at >= command.size() || !launcher::is_launcher_name(command[at])) return std::nullopt;
  try {
    return launcher::parse_command(launcher, command, at);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

placement::PlacementInput placement_of(const Records& records, const machine::MachineFile& machine,
                                       const std::vector<std::string>& command) {
  const bool oversubscribe = declared_oversubscribed(command);
  placement::PlacementInput input;
  HostIndex host_of(machine, input.hosts);
  const bool any_mpi = std::any_of(records.begin(), records.end(),
                                   [](const auto* record) { return record->world_rank >= 0; });
  std::set<std::pair<std::string, int>> own;
  for (const trace::RankRecord* record : records) own.insert({record->host, record->pid});
  std::set<std::pair<std::string, int>> foreign;
  for (const trace::RankRecord* of : records) {
    const trace::RankRecord& record = *of;
    if (any_mpi && record.world_rank < 0) continue;
    placement::RankPlace rank;
    rank.threads = threads_of(record, rank.after_parallel);
    if (rank.threads.empty()) continue;
    rank.rank = std::max(0, record.world_rank);
    rank.host = host_of(record);
    rank.program = std::filesystem::path(record.program).filename();
    rank.threads_wanted = threads_wanted(record, rank.after_parallel, rank.threads.size());
    rank.waiting = waiting_of(record, oversubscribe);
    account(record, rank);
    input.ranks.push_back(std::move(rank));
    for (const trace::ForeignProcess& process : record.foreign) {
      const std::pair<std::string, int> key{record.host, process.pid};
      if (own.count(key) != 0 || !foreign.insert(key).second) continue;
      placement::ForeignPlace place{host_of(record), process.pid, process.name,
                                    CpuSet::of(process.allowed), std::nullopt};
      if (process.cpu_share >= 0) place.cpu_share = process.cpu_share;
      input.foreign.push_back(std::move(place));
    }
  }
  return input;
}

RunJudgement judge_run(const Records& records, const machine::MachineFile& machine,
                       const launcher::Launcher& launcher,
                       const std::vector<std::string>& command) {
  const placement::PlacementJudgement judgement =
      placement::judge_placement(placement_of(records, machine, command));
  const std::size_t at = command.empty() ? 0 : launcher::behind_wrappers(command, 0);
  // Within a launcher the command is the program alone, so there is no whole command to fix.
  const bool says_launcher = at < command.size() && launcher::is_launcher_name(command[at]);
  const bool whole = says_launcher || launcher.kind == launcher::LauncherKind::none;
  launcher::Launcher named = launcher;
  if (named.name.empty()) {
    named.name = says_launcher ? command[at] : launcher::traits_of(launcher.kind).facts().command;
  }
  RunJudgement result;
  result.sentence = judgement.sentence;
  for (const placement::PlacementFinding& finding : judgement.findings) {
    RunFinding found;
    found.finding = finding;
    const launcher::Fix fixed = launcher::fix_for(finding, named);
    found.fix = fixed.text;
    if (whole) found.fixed_command = fixed_whole(named, command, at, fixed);
    result.findings.push_back(std::move(found));
  }
  return result;
}

std::optional<RunFinding> one_rank_jobs(const std::vector<trace::RankRecord>& records,
                                        const launcher::Launcher& launcher,
                                        const std::vector<std::string>& command) {
  std::vector<const trace::RankRecord*> ranks;
  for (const trace::RankRecord& record : records) {
    if (record.world_rank >= 0) ranks.push_back(&record);
    if (record.world_rank >= 0 && record.world_size != 1) return std::nullopt;
  }
  if (ranks.size() < 2 || launcher.kind == launcher::LauncherKind::none) return std::nullopt;
  const std::optional<launcher::LaunchCommand> whole = whole_command(launcher, command);
  const int count = static_cast<int>(ranks.size());
  const bool asked = whole && whole->ranks;
  if (asked ? *whole->ranks != count : !all_at_once(ranks)) return std::nullopt;

  const bool slurm = launcher.kind == launcher::LauncherKind::slurm;
  RunFinding found;
  found.finding.id = kOneRankJobs;
  found.finding.severity = "high";
  found.finding.what = fmt::format("{0} processes ran as {0} jobs of one rank each", count);
  found.finding.evidence =
      fmt::format("MPI_COMM_WORLD had one rank in each; {} did not recognize its launcher",
                  short_library(ranks.front()->library));
  found.finding.cost = "each process does all the work";
  found.finding.ranks_here = count;
  if (!slurm) {
    found.fix =
        "use the launcher of the MPI library with which it was built: plait doctor lists them";
    return found;
  }
  const std::string type = srun_type(*ranks.front());
  found.fix = fmt::format("srun {} ...; srun --mpi=list shows what this Slurm supports", type);
  if (whole) found.fixed_command = with_type(*whole, type);
  return found;
}

}  // namespace plait::run
