// SPDX-License-Identifier: BSD-3-Clause
// From the records of a run to findings about its placement, each with the option that mends it.
#include "launch/judge_run.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/json_file.hpp"
#include "launch/environment.hpp"
#include "launch/mend.hpp"
#include "plait/error.hpp"

namespace plait::launch {
namespace {

using machine::CpuSet;

bool declared_oversubscribed(const std::vector<std::string>& command) {
  return std::any_of(command.begin(), command.end(), [](const std::string& word) {
    std::string lower = word;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower == "--oversubscribe" || lower == "-oversubscribe" ||
           lower.find(":oversubscribe") != lower.npos;
  });
}

/// What the record says, else what is known of the library: Open MPI yields only when it was told
/// of the oversubscription; MPICH spins; Intel MPI gives way after a while.
map::Waiting waiting_of(const trace::RankRecord& record, bool oversubscribe) {
  if (record.mpi_yields >= 0) {
    return record.mpi_yields > 0 ? map::Waiting::yields : map::Waiting::spins;
  }
  if (record.library.find("Intel") != record.library.npos) return map::Waiting::yields;
  if (record.abi == PLAIT_ABI_OPENMPI) {
    return oversubscribe ? map::Waiting::yields : map::Waiting::spins;
  }
  return record.abi == PLAIT_ABI_MPICH ? map::Waiting::spins : map::Waiting::unknown;
}

/// The threads that compute: OpenMP's after the first parallel region, else the main thread.
std::vector<map::ThreadPlace> threads_of(const trace::RankRecord& record, bool& after_parallel) {
  std::map<int, map::ThreadPlace> threads;  // by OpenMP number
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
  std::vector<map::ThreadPlace> result;
  for (auto& [number, thread] : threads) result.push_back(std::move(thread));
  return result;
}

/// How many threads compute. A program that links an OpenMP runtime need not use it: what it would
/// start counts only where its parallel regions cannot be seen.
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

/// CPU time got and taken between MPI_Init and the last look, all threads.
void account(const trace::RankRecord& record, map::RankPlace& rank) {
  double cpu_s = 0;
  double taken_s = 0;
  for (const trace::TakenSample& sample : record.taken) {
    cpu_s += sample.at_end ? sample.cpu_s : -sample.cpu_s;
    taken_s += sample.at_end ? sample.wait_s : -sample.wait_s;
  }
  if (cpu_s <= 0) return;  // no second look: the process was killed early
  rank.cpu_s = cpu_s;
  rank.taken_s = std::max(0.0, taken_s);
}

std::string usual_name(LauncherKind kind) {
  return kind == LauncherKind::slurm ? "srun" : "mpiexec";
}

/// The whole command, mended; empty when it cannot be taken apart: then the words alone are given.
std::vector<std::string> mended_whole(const Launcher& launcher,
                                      const std::vector<std::string>& command, std::size_t at,
                                      const Mend& mended) {
  try {
    return mended_command(parse_command(launcher, command, at), mended);
  } catch (const Error&) {
    return {};
  }
}

/// The hardware threads of each node of the emulated cluster around this process, which all have
/// the one machine file; empty outside of one.
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
    nodes.clear();  // the machine file alone counts
  }
  return nodes;
}

class HostIndex {
public:
  HostIndex(const machine::MachineFile& machine, std::vector<map::HostPlaces>& hosts)
      : machine_(machine), hosts_(hosts) {}

  int operator()(const trace::RankRecord& record) {
    const auto [known, added] = index_.try_emplace(record.host, static_cast<int>(hosts_.size()));
    if (added) {
      map::HostPlaces host{record.host, machine_.topology};
      if (record.cgroup_quota_cores) host.topology.cgroup_quota_cores = record.cgroup_quota_cores;
      const auto own = emulated_.find(record.host);
      if (own != emulated_.end()) host.topology.allowed_pus = own->second;
      hosts_.push_back(std::move(host));
    }
    return known->second;
  }

private:
  const machine::MachineFile& machine_;
  std::vector<map::HostPlaces>& hosts_;
  std::map<std::string, int> index_;
  std::map<std::string, CpuSet> emulated_ = emulated_nodes();
};

}  // namespace

map::PlacementInput placement_of(const std::vector<trace::RankRecord>& records,
                                 const machine::MachineFile& machine,
                                 const std::vector<std::string>& command) {
  const bool oversubscribe = declared_oversubscribed(command);
  map::PlacementInput input;
  HostIndex host_of(machine, input.hosts);
  const bool any_mpi = std::any_of(records.begin(), records.end(),
                                   [](const auto& record) { return record.world_rank >= 0; });
  std::set<std::pair<std::string, int>> own;
  for (const trace::RankRecord& record : records) own.insert({record.host, record.pid});
  std::set<std::pair<std::string, int>> foreign;
  for (const trace::RankRecord& record : records) {
    if (any_mpi && record.world_rank < 0) continue;
    map::RankPlace rank;
    rank.threads = threads_of(record, rank.after_parallel);
    if (rank.threads.empty()) continue;
    rank.rank = std::max(0, record.world_rank);
    rank.host = host_of(record);
    rank.threads_wanted = threads_wanted(record, rank.after_parallel, rank.threads.size());
    rank.waiting = waiting_of(record, oversubscribe);
    account(record, rank);
    input.ranks.push_back(std::move(rank));
    for (const trace::ForeignProcess& process : record.foreign) {
      const std::pair<std::string, int> key{record.host, process.pid};
      if (own.count(key) != 0 || !foreign.insert(key).second) continue;
      map::ForeignPlace place{host_of(record), process.pid, process.name,
                              CpuSet::of(process.allowed), std::nullopt};
      if (process.cpu_share >= 0) place.cpu_share = process.cpu_share;
      input.foreign.push_back(std::move(place));
    }
  }
  return input;
}

RunJudgement judge_run(const std::vector<trace::RankRecord>& records,
                       const machine::MachineFile& machine, const Launcher& launcher,
                       const std::vector<std::string>& command) {
  const map::PlacementJudgement judgement =
      map::judge_placement(placement_of(records, machine, command));
  const std::size_t at = command.empty() ? 0 : behind_wrappers(command, 0);
  // Within a launcher the command is the program alone: there is no whole command to mend.
  const bool says_launcher = at < command.size() && is_launcher_name(command[at]);
  const bool whole = says_launcher || launcher.kind == LauncherKind::none;
  Launcher named = launcher;
  if (named.name.empty()) named.name = says_launcher ? command[at] : usual_name(launcher.kind);
  RunJudgement result;
  result.sentence = judgement.sentence;
  for (const map::PlacementFinding& finding : judgement.findings) {
    RunFinding found;
    found.finding = finding;
    const Mend mended = mend(finding, named);
    found.mend = mended.text;
    if (whole) found.mended_command = mended_whole(named, command, at, mended);
    result.findings.push_back(std::move(found));
  }
  return result;
}

}  // namespace plait::launch
