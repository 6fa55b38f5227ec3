// SPDX-License-Identifier: BSD-3-Clause
// Builds the profile of a run from its run directory.
#include "report/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/efficiencies.hpp"
#include "plait/error.hpp"
#include "report/call_tables.hpp"
#include "report/computation.hpp"
#include "report/contention.hpp"
#include "report/context.hpp"
#include "report/distinct_sites.hpp"
#include "report/findings.hpp"
#include "report/functions.hpp"
#include "report/implied_traffic.hpp"
#include "report/job_parts.hpp"
#include "report/missing.hpp"
#include "report/rank_rows.hpp"
#include "report/replayed_profile.hpp"
#include "report/verdict.hpp"
#include "run/judge_run.hpp"
#include "run/outcome.hpp"
#include "run/started_as.hpp"
#include "samples/build_tree.hpp"
#include "samples/sample_times.hpp"
#include "trace/trace.hpp"

namespace plait::report {
namespace {

// 512 ranks that all communicate with each other; a heat map cannot show more.
constexpr std::size_t kMatrixEntries = 512 * 512;

EfficiencyValue value_of(const model::Efficiency& of) {
  return {of.value, to_string(of.kind)};
}

bool has_cpu_times(const Job& job) {
  return std::any_of(job.ranks.begin(), job.ranks.end(),
                     [](const trace::RankRecord* record) { return !record->cpu_wait.empty(); });
}

void fill_overhead(const Job& job, Profile& profile) {
  Overhead& overhead = profile.overhead;
  std::set<std::string> unseen;
  double wall = 0;
  double ns_sum = 0;
  int calibrated = 0;
  for (const trace::RankRecord* record : job.ranks) {
    std::uint64_t calls = 0;
    for (const trace::CallEntry& call : record->calls) calls += call.count;
    overhead.calls += calls;
    overhead.lost_records += record->lost_calls;
    overhead.total_s += static_cast<double>(calls) * record->overhead_ns_per_call * 1e-9;
    unseen.insert(record->unseen_entry_points.begin(), record->unseen_entry_points.end());
    if (record->overhead_ns_per_call <= 0) continue;
    ns_sum += record->overhead_ns_per_call;
    ++calibrated;
  }
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  if (calibrated > 0) overhead.ns_per_call = ns_sum / calibrated;
  if (wall > 0) overhead.fraction = overhead.total_s / wall;
  overhead.unseen_entry_points.assign(unseen.begin(), unseen.end());
}

/// Merges equal notes of several ranks. In a run without ranks the notes of all processes count.
void add_record_notes(const RunParts& parts, const Job& job, Profile& profile) {
  std::vector<const trace::RankRecord*> processes_with_notes = job.ranks;
  if (processes_with_notes.empty()) {
    for (const trace::RankRecord& record : parts.records) processes_with_notes.push_back(&record);
  }
  std::map<std::string, int> notes;
  std::uint64_t unresolved = 0;
  for (const trace::RankRecord* record : processes_with_notes) {
    for (const std::string& note : record->notes) ++notes[note];
    unresolved += record->unresolved_calls;
  }
  for (const auto& [note, processes] : notes) {
    profile.notes.push_back(processes > 1 ? fmt::format("{} ({} processes)", note, processes)
                                          : note);
  }
  if (unresolved > 0) {
    profile.notes.push_back(fmt::format(
        "{} calls with an unknown partner or communicator are not in the communication matrix",
        unresolved));
  }
}

void fill_missing(const RunParts& parts, const Job& job, Profile& profile) {
  // First, because it is the reason why the ranks ended.
  if (parts.run.state == "time_limit") profile.missing.emplace_back("the time limit ended the run");
  if (parts.run.interrupted_by) {
    profile.missing.push_back(
        fmt::format("the run was interrupted by {}", run::signal_text(*parts.run.interrupted_by)));
  }
  for (std::string& rank : missing_ranks(job, signals_in(parts.output))) {
    profile.missing.push_back(std::move(rank));
  }
  for (const std::string& problem : parts.record_problems) profile.missing.push_back(problem);
  if (parts.run.state == "running") {
    profile.missing.emplace_back(
        "the run has not ended, or plait was killed; the report covers what was recorded until "
        "then");
  }
  profile.complete = profile.missing.empty();
}

/// True when the machine is one of the hosts, whose names may have no domain, or there are none.
bool ran_on(const std::string& machine, const std::vector<HostRanks>& hosts) {
  const auto short_name = [](const std::string& name) { return name.substr(0, name.find('.')); };
  return hosts.empty() || std::any_of(hosts.begin(), hosts.end(), [&](const HostRanks& host) {
           return short_name(host.name) == short_name(machine);
         });
}

/// Checks the placement. Returns the command that fixes the worst finding; empty: there is none.
std::string judge(const RunParts& parts, const Job& job, Profile& profile) {
  const machine::MachineFile machine = parts.machine.value_or(machine::MachineFile{});
  profile.placement.threads = thread_places(job.ranks, machine, parts.run.command);
  if (!parts.machine) {
    profile.placement.judgement = "not checked: there is no machine file in the run directory";
    return "";
  }
  launcher::Launcher launcher;
  launcher.kind = launcher::kind_of(parts.run.launcher_kind, parts.run.launcher_version);
  launcher.version = parts.run.launcher_version;
  launcher.path = parts.run.launcher_path;
  run::RunJudgement judgement =
      run::judge_run(job.ranks, machine, launcher, parts.run.started_command);
  if (auto found = run::one_rank_jobs(parts.records, launcher, parts.run.started_command)) {
    judgement.findings.insert(judgement.findings.begin(), std::move(*found));
  }
  profile.placement.judgement = judgement.sentence;
  std::string fixed;
  for (const run::RunFinding& one : judgement.findings) {
    const placement::PlacementFinding& of = one.finding;
    profile.findings.push_back({of.id, of.severity, of.what, of.evidence, of.cost, one.fix});
    if (fixed.empty() && !one.fixed_command.empty()) {
      fixed = run::started_text(parts.run.started_around, one.fixed_command);
    }
  }
  return fixed;
}

// A command to type, which is the whole one of the user; a remark follows as a shell comment.
std::string next_step(const RunParts& parts, const Profile& profile, const std::string& fixed) {
  if (!fixed.empty()) return fixed;
  if (profile.ranks.empty()) return "plait doctor";
  const bool disturbed =
      std::any_of(profile.findings.begin(), profile.findings.end(), [](const Finding& finding) {
        return finding.id == "cpu_taken" && finding.severity == "high";
      });
  const Contention& of = profile.contention;
  const bool by_others = of.other_programs_s >= std::max(of.own_ranks_s, of.throttled_s);
  const std::string again = run::started_text(parts.run.started_around, parts.run.started_command);
  if (disturbed && by_others) return again + "  # when no other program runs";
  if (parts.machine && !parts.machine->measured) return "plait measure --quick";
  return again + "  # after a change, then plait compare";
}

void fill_computation(const RunParts& parts, const Job& job, Profile& profile) {
  if (!parts.samples) return;
  profile.computation = computation_of(*parts.samples, job.world_size);
  for (const std::string& note : parts.samples->notes) {
    if (std::ranges::find(profile.notes, note) == profile.notes.end()) {
      profile.notes.push_back(note);
    }
  }
  if (!profile.computation) profile.notes.emplace_back("no samples were taken");
}

}  // namespace

void fill_efficiencies(Profile& profile, bool has_cpu_times) {
  std::vector<model::RankTime> ranks;
  for (const RankRow& rank : profile.ranks) {
    ranks.push_back({rank.wall_s, rank.mpi_s, rank.cpu_wait_s, rank.threads, rank.compute_wait_s,
                     rank.mpi_wait_s});
  }
  std::vector<model::ThreadTime> threads;
  for (const OmpThreadRow& thread : profile.openmp.threads) {
    threads.push_back({thread.busy_s, thread.idle_s});
  }
  const std::string& view = profile.openmp.measured;
  const model::Efficiencies of =
      model::efficiencies(ranks, threads, view == "gomp" || view == "ompt");
  profile.efficiencies = {
      "POP multiplicative, with a factor for waiting for a CPU: parallel = cpu x load balance x "
      "communication, useful time is time outside MPI on a CPU; serialization and transfer need a "
      "trace; threads: busy / (busy + idle) in parallel regions, not a factor of parallel",
      value_of(of.parallel),
      value_of(of.load_balance),
      value_of(of.communication),
      value_of(of.transfer),
      value_of(of.serialization),
      value_of(of.threads),
      has_cpu_times ? value_of(of.cpu) : EfficiencyValue{}};
  profile.cpu_wait_fraction = of.cpu_wait_fraction;
}

std::optional<samples::CallTree> samples_of(const std::vector<trace::RankRecord>& records,
                                            const std::filesystem::path& run_dir) {
  std::vector<std::string> notes;
  const Job job = main_job(records, notes);
  if (!samples::has_samples(job.ranks)) return {};
  samples::CallTree tree = samples::build_call_tree(job.ranks);
  if (!samples::is_possible_rate(tree.rate_hz)) return tree;  // no file could be read: only notes
  try {
    samples::write_samples(tree, run_dir);
  } catch (const Error&) {
    // A run directory of another user may be read-only.
  }
  return tree;
}

Profile assemble_profile(const RunParts& parts) {
  Profile profile;
  profile.plait_version = PLAIT_VERSION;
  profile.command = parts.run.started_plain;
  profile.exit_code = parts.run.exit_code;
  profile.signal = parts.run.interrupted_by ? parts.run.interrupted_by : parts.run.signal;
  profile.wall_s = parts.run.wall_s;

  const Job job = main_job(parts.records, profile.notes);
  profile.world_size = job.world_size;
  profile.ranks_recorded = static_cast<int>(job.ranks.size());
  profile.context = context_of(job);
  profile.context.launcher = {parts.run.launcher_kind, parts.run.launcher_version,
                              parts.run.launcher_path};
  if (parts.machine) {
    profile.context.machine_file = "machine.json";
    if (ran_on(parts.machine->host, profile.context.hosts)) {
      profile.context.cpu_model = parts.machine->cpu_model;
    } else {
      profile.notes.push_back(
          fmt::format("the machine file describes {} ({}), but no rank ran there",
                      parts.machine->host, parts.machine->cpu_model));
    }
  }
  if (!parts.machine_problem.empty()) profile.notes.push_back(parts.machine_problem);
  add_record_notes(parts, job, profile);
  fill_missing(parts, job, profile);

  trace::Symbolizer symbolizer;
  DistinctSites sites;
  for (const trace::RankRecord* record : job.ranks) {
    for (const trace::Site& site : record->sites) sites.index_of(site);
    for (const auto& region : record->parallel_regions) symbolizer.want(region.address);
    profile.ranks.push_back(rank_row(*record));
    profile.wall_s = std::max(profile.wall_s, profile.ranks.back().wall_s);
  }
  profile.parts = job_parts(job, profile.ranks);
  for (const trace::Site* site : sites.sites()) {
    for (const trace::CodeAddress& address : site->frames) symbolizer.want(address);
  }
  const std::vector<RankFunctions> instrumented = read_functions(job.ranks, profile.notes);
  for (const RankFunctions& of : instrumented) {
    for (const auto& function : of.file.functions) symbolizer.want(function.address);
  }
  symbolizer.resolve(profile.notes);
  fill_call_tables(job, symbolizer, sites, profile);
  profile.openmp = openmp_of(job, symbolizer);
  profile.regions = user_regions(job);
  profile.functions = function_rows(instrumented, symbolizer);
  profile.counters = counters_of(job, parts.machine ? &*parts.machine : nullptr);
  profile.memory = memory_of(job);
  profile.io = io_of(job);
  profile.matrix = communication_matrix(job.ranks, job.world_size, kMatrixEntries);
  profile.matrix.nodes = nodes_of(job, profile.context.hosts);

  fill_efficiencies(profile, has_cpu_times(job));
  profile.contention = contention_of(job, profile.ranks);
  fill_overhead(job, profile);
  fill_computation(parts, job, profile);
  const std::string fixed = judge(parts, job, profile);
  weigh_placement(profile);
  for (Finding& finding : findings_of(profile)) profile.findings.push_back(std::move(finding));
  sort_findings(profile.findings);
  profile.verdict = verdict(profile, parts.traced);
  if (!parts.run.allocation.empty()) profile.notes.push_back(parts.run.allocation);
  profile.next = next_step(parts, profile, fixed);
  return profile;
}

Profile build_profile(const std::filesystem::path& run_dir) {
  RunParts parts;
  parts.run = read_run_file(run_dir);
  if (!parts.run.replayed_on.empty()) return replayed_profile(run_dir, parts.run);
  if (std::filesystem::is_directory(run_dir / "records")) {
    parts.records = trace::read_records(run_dir / "records", &parts.record_problems);
  } else {
    parts.record_problems.emplace_back("the folder 'records' is missing: no process loaded Plait");
  }
  try {
    if (std::filesystem::exists(run_dir / "machine.json")) {
      parts.machine = machine::load(run_dir / "machine.json");
    }
  } catch (const Error& error) {
    parts.machine_problem = error.what();
  }
  parts.output = last_output(run_dir);
  parts.samples = samples_of(parts.records, run_dir);
  parts.traced = trace::has_trace(run_dir);
  Profile profile = assemble_profile(parts);
  profile.remapping = remap::read_remap_file(run_dir);
  profile.created = machine::utc_now();
  return profile;
}

}  // namespace plait::report
