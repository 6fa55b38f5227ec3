// SPDX-License-Identifier: BSD-3-Clause
// Findings that follow from the figures of a profile.
#include "report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/name_ranks.hpp"
#include "report/busiest.hpp"
#include "report/computation.hpp"
#include "report/resource_findings.hpp"
#include "report/serial_part.hpp"
#include "report/severity.hpp"
#include "report/site_text.hpp"
#include "report/total_wall.hpp"
#include "report/verdict.hpp"
#include "run/judge_run.hpp"
#include "text/counted.hpp"
#include "text/ratio.hpp"
#include "text/units.hpp"
#include "trace/frame_text.hpp"

namespace plait::report {
namespace {

constexpr double kImbalance = 0.05;    // of the ranks' time
constexpr double kIdleThreads = 0.10;  // of the ranks' time
constexpr double kCpuWait = 0.02;      // of the threads' time
constexpr double kOverhead = 0.01;     // of the ranks' time
constexpr double kBarrier = 0.05;      // of the ranks' time
constexpr std::uint64_t kTinyBytes = 256;
constexpr double kTinyShare = 0.9;  // of the messages
constexpr double kTinyTime = 0.05;  // of the ranks' time

int rank_of(const std::string& severity) {
  return severity == "high" ? 0 : severity == "medium" ? 1 : 2;
}

double cpu_wait_share(const Profile& profile) {
  return std::min(1.0, profile.cpu_wait_fraction);
}

/// The part of the threads' time that has one of the causes of waiting for a CPU.
double share_of(const Profile& profile, double cause_s) {
  const Contention& of = profile.contention;
  const double all = of.own_ranks_s + of.other_programs_s + of.throttled_s;
  return all > 0 ? cpu_wait_share(profile) * cause_s / all : cpu_wait_share(profile);
}

std::optional<Finding> load_imbalance(const Profile& profile) {
  const double share = losses_of(profile.efficiencies).imbalance;
  if (share < kImbalance || profile.ranks.size() < 2) return {};
  const auto useful = [](const RankRow& rank) { return useful_s(rank); };
  const auto [least, most] =
      std::minmax_element(profile.ranks.begin(), profile.ranks.end(),
                          [&](const auto& a, const auto& b) { return useful(a) < useful(b); });
  const Busiest busiest = busiest_ranks(profile);
  if (busiest.mean_s <= 0) return {};
  std::string what =
      fmt::format("{} computes {} times the mean", busiest.who, format_ratio(busiest.ratio));
  std::string evidence = fmt::format("time outside MPI{}: rank {} {}, mean {}, rank {} {}",
                                     waits_outside_mpi(profile) ? " on a CPU" : "", most->rank,
                                     format_seconds(useful(*most)), format_seconds(busiest.mean_s),
                                     least->rank, format_seconds(useful(*least)));
  const bool several = busiest.ranks.size() > 1;
  if (several) evidence = fmt::format("{}; {}", name_ranks(busiest.ranks), evidence);
  if (std::string named = difference_sentence(profile, most->rank); !named.empty()) {
    evidence = fmt::format("{}; {}", what, evidence);
    what = std::move(named);
  }
  const std::string less = fmt::format(
      "give {} less work: partition by cost, or divide the work into more parts than ranks",
      busiest.who);
  return Finding{"load_imbalance",
                 severity_of(share),
                 std::move(what),
                 std::move(evidence),
                 fmt::format("{} of the run", format_percent(share)),
                 busiest.is_node
                     ? fmt::format("compare {} with other nodes (plait measure): clock, "
                                   "memory, other programs; or {}",
                                   busiest.who, less)
                     : less,
                 share};
}

std::optional<Finding> idle_threads(const Profile& profile) {
  const double share = time_shares(profile).omp_idle;
  if (share < kIdleThreads) return {};
  const auto worst =
      std::max_element(profile.openmp.regions.begin(), profile.openmp.regions.end(),
                       [](const auto& a, const auto& b) { return a.idle_s < b.idle_s; });
  std::string where;
  if (worst != profile.openmp.regions.end()) {
    where = trace::site_place({{worst->function, worst->file, worst->line, "", ""}});
  }
  const bool shared =
      std::any_of(profile.findings.begin(), profile.findings.end(), is_sharing_finding);
  return Finding{"threads_wait",
                 shared ? "low" : severity_of(share),
                 "OpenMP threads are idle in " + (where.empty() ? "parallel regions" : where),
                 where.empty()
                     ? ""
                     : fmt::format("{} busy, {} idle there, summed over threads",
                                   format_seconds(worst->busy_s), format_seconds(worst->idle_s)),
                 fmt::format("{} of the ranks' time", format_percent(share)),
                 shared ? "fix the placement first; it may be the cause"
                        : "balance the loop (schedule(guided)), or remove barriers (nowait)",
                 share};
}

std::optional<Finding> serial_part(const Profile& profile) {
  const std::optional<SerialLoss> loss = serial_loss(profile);
  if (!loss) return {};
  return Finding{"openmp_serial",
                 severity_of(loss->share),
                 loss->sentence,
                 loss->text(),
                 fmt::format("{} of the ranks' time, in which threads have no work",
                             format_percent(loss->share)),
                 fmt::format("divide the work of {} among the threads, or start more ranks with "
                             "fewer threads",
                             loss->inside.empty() ? "its serial part" : loss->inside),
                 loss->share};
}

/// A cause of waiting for a CPU.
struct Cause {
  double seconds = 0;
  const char* id = "";  ///< "own", "others", "quota"
  std::string title, part, fix;
};

/// Largest first.
std::vector<Cause> causes_of_cpu_wait(const Contention& of) {
  std::vector<Cause> causes{
      {of.own_ranks_s, "own", "threads of this run wait for each other's CPU",
       "for threads of this run", "start one thread per core, and bind each to its own"},
      {of.other_programs_s, "others", "other programs used the ranks' CPUs", "for other programs",
       "run when no other program uses these CPUs, or bind the ranks to free cores"},
      {of.throttled_s, "quota", "the cgroup's CPU quota stopped the ranks", "because of the quota",
       "raise the quota, or start fewer threads"}};
  std::stable_sort(causes.begin(), causes.end(),
                   [](const Cause& a, const Cause& b) { return a.seconds > b.seconds; });
  return causes;
}

/// True if a finding on the placement already reports this cause.
bool is_reported(const Profile& profile, const std::string& cause) {
  return std::any_of(profile.findings.begin(), profile.findings.end(), [&](const Finding& finding) {
    return cause == "quota" ? finding.id == "quota_below_cores"
                            : cause == "own" && is_sharing_finding(finding);
  });
}

std::optional<Finding> cpu_wait(const Profile& profile) {
  const double share = cpu_wait_share(profile);
  if (share < kCpuWait) return {};
  const std::vector<Cause> causes = causes_of_cpu_wait(profile.contention);
  const Cause& first = causes.front();
  if (is_reported(profile, first.id)) return {};
  const auto worst =
      std::max_element(profile.ranks.begin(), profile.ranks.end(),
                       [](const auto& a, const auto& b) { return a.cpu_wait_s < b.cpu_wait_s; });
  std::string evidence =
      fmt::format("rank {} waited {} for a CPU; {} involuntary context switches", worst->rank,
                  format_seconds(worst->cpu_wait_s), format_count(worst->involuntary_switches));
  for (const Cause& cause : causes) {
    const double part = share_of(profile, cause.seconds);
    if (cause.seconds > 0 && part >= kCpuWait / 2) {
      evidence += fmt::format("; {} of the time {}", format_percent(part), cause.part);
    }
  }
  if (profile.contention.other_cpus > 0) {
    evidence += fmt::format("; other programs used {} of {} on average",
                            format_number(profile.contention.other_cpus),
                            counted(std::lround(profile.contention.cpus), "CPU"));
  }
  return Finding{"cpu_taken",
                 severity_of(share),
                 first.seconds > 0 ? first.title : "threads waited for a CPU",
                 evidence,
                 fmt::format("{} of the threads' time", format_percent(share)),
                 first.seconds > 0
                     ? first.fix
                     : "start one thread per core, and run nothing else on these cores",
                 share};
}

std::optional<Finding> steal(const Profile& profile) {
  const Contention& of = profile.contention;
  double wall = 0;
  for (const RankRow& rank : profile.ranks) wall = std::max(wall, rank.wall_s);
  const double share = of.cpus > 0 && wall > 0 ? of.steal_s / (of.cpus * wall) : 0;
  if (share < kCpuWait) return {};
  return Finding{"cpu_steal",
                 severity_of(share),
                 "the hypervisor ran other machines on the ranks' CPUs",
                 fmt::format("steal time {} on {}", format_seconds(of.steal_s),
                             counted(std::lround(of.cpus), "CPU")),
                 fmt::format("{} of the CPUs' time", format_percent(share)),
                 "use a machine with CPUs of its own; its times cannot be compared",
                 share};
}

std::optional<Finding> tiny_messages(const Profile& profile) {
  std::uint64_t all = 0;
  std::uint64_t tiny = 0;
  double tiny_s = 0;
  for (const SizeRow& size : profile.sizes) {
    if (size.kind != "point_to_point") continue;
    all += size.count;
    if (size.high_bytes >= kTinyBytes) continue;
    tiny += size.count;
    tiny_s += size.time_s;
  }
  const double wall = total_wall(profile);
  if (all == 0 || wall <= 0) return {};
  const double share = static_cast<double>(tiny) / static_cast<double>(all);
  if (share < kTinyShare || tiny_s / wall < kTinyTime) return {};
  return Finding{
      "tiny_messages",
      severity_of(tiny_s / wall),
      fmt::format("{} of the messages are smaller than {} bytes", format_percent(share),
                  kTinyBytes),
      fmt::format("{} of {} point-to-point messages", format_count(tiny), format_count(all)),
      fmt::format("{} of the time, dominated by latency", format_percent(tiny_s / wall)),
      "combine several messages into one",
      tiny_s / wall};
}

std::optional<Finding> barriers(const Profile& profile) {
  const double wall = total_wall(profile);
  for (const NamedSite& named : sites_by_time(profile, Callers::together)) {
    const SiteRow& site = named.calls;
    if (site.call != "MPI_Barrier" || wall <= 0 || site.time_s / wall < kBarrier) continue;
    return Finding{"barrier",
                   "low",
                   fmt::format("ranks wait in {}", site_sentence(named)),
                   fmt::format("{} calls, {} summed over ranks", format_count(site.count),
                               format_seconds(site.time_s)),
                   fmt::format("up to {} of the time", format_percent(site.time_s / wall)),
                   "remove it unless something outside MPI needs it",
                   site.time_s / wall};
  }
  return {};
}

std::optional<Finding> unrecorded_functions(const Profile& profile) {
  const auto& names = profile.overhead.unseen_entry_points;
  if (names.empty()) return {};
  return Finding{"unseen_entry_points",
                 "medium",
                 fmt::format("Plait does not record {}{}", names.front(),
                             names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : ""),
                 fmt::format("{}", fmt::join(names, " ")),
                 "time in these functions counts as computation",
                 "read the MPI share as a lower bound"};
}

std::optional<Finding> lost_calls(const Profile& profile) {
  if (profile.overhead.lost_records == 0 || profile.overhead.calls == 0) return {};
  const double share = static_cast<double>(profile.overhead.lost_records) /
                       static_cast<double>(profile.overhead.calls + profile.overhead.lost_records);
  return Finding{"lost_records",
                 share > 0.01 ? "medium" : "low",
                 fmt::format("{} calls were not recorded (record file full)",
                             format_count(profile.overhead.lost_records)),
                 fmt::format("{} of all calls", format_percent(share)),
                 "they are missing from the call tables",
                 "read counts, bytes and times as lower bounds"};
}

/// How to call MPI less often, by the function that is called most.
std::string call_less_often(const Profile& profile) {
  const auto most =
      std::max_element(profile.calls.begin(), profile.calls.end(),
                       [](const CallRow& a, const CallRow& b) { return a.count < b.count; });
  if (most == profile.calls.end()) return "call MPI less often";
  const bool polls =
      most->name.find("MPI_Test") == 0 || most->name.find("probe") != std::string::npos;
  return fmt::format("call {} less often: {}", most->name,
                     polls ? "wait instead of polling" : "put more work or data into each call");
}

std::optional<Finding> overhead(const Profile& profile) {
  if (profile.overhead.fraction < kOverhead) return {};
  return Finding{
      "tool_overhead",
      profile.overhead.fraction >= 0.05 ? "medium" : "low",
      fmt::format("Plait's overhead is {} of the time", format_percent(profile.overhead.fraction)),
      fmt::format("{} calls at {} each", format_count(profile.overhead.calls),
                  format_seconds(profile.overhead.ns_per_call * 1e-9)),
      fmt::format("{} summed over ranks", format_seconds(profile.overhead.total_s)),
      call_less_often(profile),
      profile.overhead.fraction};
}

std::optional<Finding> openmp_not_measured(const Profile& profile) {
  if (profile.openmp.measured != "not measured") return {};
  return Finding{"openmp_not_measured",
                 "low",
                 "idle OpenMP threads were not measured",
                 fmt::format("OpenMP runtime: {}",
                             profile.openmp.runtime.empty() ? "unknown" : profile.openmp.runtime),
                 "their idle time counts as computation",
                 "use GCC's libgomp or an LLVM OpenMP runtime with OMPT"};
}

}  // namespace

std::vector<Finding> findings_of(const Profile& profile) {
  std::vector<Finding> findings;
  if (profile.ranks.empty()) return findings;
  for (const auto& rule :
       {load_imbalance, idle_threads, serial_part, cpu_wait, steal, tiny_messages, barriers,
        unrecorded_functions, lost_calls, overhead, openmp_not_measured}) {
    if (std::optional<Finding> found = rule(profile)) findings.push_back(std::move(*found));
  }
  for (Finding& found : resource_findings(profile)) findings.push_back(std::move(found));
  return findings;
}

bool is_in_the_program(const Finding& finding) {
  return finding.id == "load_imbalance" || finding.id == "threads_wait" ||
         finding.id == "openmp_serial";
}

void weigh_placement(Profile& profile) {
  if (cpu_wait_share(profile) <= 0) return;
  const Contention& of = profile.contention;
  for (Finding& finding : profile.findings) {
    if (finding.id == "foreign_processes") {
      // It was seen for a moment. What all other programs cost was measured.
      finding.severity = severity_of(share_of(profile, of.other_programs_s));
      continue;
    }
    const bool quota = finding.id == "quota_below_cores";
    if (!quota && !is_sharing_finding(finding)) continue;
    finding.cost_share = share_of(profile, quota ? of.throttled_s : of.own_ranks_s);
    // Beside other programs, only all of the wait shows how severe it is to share CPUs.
    const double share = *finding.cost_share > 0 ? cpu_wait_share(profile) : 0;
    if (rank_of(severity_of(share)) < rank_of(finding.severity)) {
      finding.severity = severity_of(share);
    }
  }
}

void sort_findings(std::vector<Finding>& findings) {
  const auto order = [](const Finding& finding) {
    const bool is_job = finding.id == run::kOneRankJobs || finding.id == "quota_below_cores" ||
                        is_sharing_finding(finding);
    const int kind = is_job                          ? 0
                     : finding.id == "cpu_taken"     ? 1
                     : is_placement_finding(finding) ? 2
                                                     : 3;
    return std::tuple(rank_of(finding.severity), kind, -finding.cost_share.value_or(0));
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
}

}  // namespace plait::report
