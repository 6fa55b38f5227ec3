// SPDX-License-Identifier: BSD-3-Clause
// Findings that follow from the figures of a profile.
#include "report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/site_text.hpp"
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

std::string severity_of(double share) {
  if (share >= 0.2) return "high";
  return share >= 0.08 ? "medium" : "low";
}

double total_wall(const Profile& profile) {
  double wall = 0;
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  return wall;
}

bool has_placement_finding(const Profile& profile) {
  return std::any_of(profile.findings.begin(), profile.findings.end(), is_placement_finding);
}

std::optional<Finding> load_imbalance(const Profile& profile) {
  const double share = losses_of(profile.efficiencies).imbalance;
  if (share < kImbalance || profile.ranks.size() < 2) return {};
  const auto useful = [](const RankRow& rank) { return rank.wall_s - rank.mpi_s; };
  const auto [least, most] =
      std::minmax_element(profile.ranks.begin(), profile.ranks.end(),
                          [&](const auto& a, const auto& b) { return useful(a) < useful(b); });
  double mean = 0;
  for (const RankRow& rank : profile.ranks) mean += useful(rank);
  mean /= static_cast<double>(profile.ranks.size());
  if (mean <= 0) return {};
  return Finding{"load_imbalance",
                 severity_of(share),
                 fmt::format("rank {} computes {} times the mean", most->rank,
                             format_ratio(useful(*most) / mean)),
                 fmt::format("time outside MPI: rank {} {}, mean {}, rank {} {}", most->rank,
                             format_seconds(useful(*most)), format_seconds(mean), least->rank,
                             format_seconds(useful(*least))),
                 fmt::format("{} of the run", format_percent(share)),
                 fmt::format("give rank {} less work: partition by cost, or divide the work into "
                             "more parts than ranks",
                             most->rank)};
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
  const bool misplaced = has_placement_finding(profile);
  return Finding{"threads_wait",
                 misplaced ? "low" : severity_of(share),
                 "OpenMP threads are idle in parallel regions",
                 where.empty()
                     ? ""
                     : fmt::format("mostly in {}: {} busy, {} idle, summed over threads", where,
                                   format_seconds(worst->busy_s), format_seconds(worst->idle_s)),
                 fmt::format("{} of the ranks' time", format_percent(share)),
                 misplaced ? "fix the placement first; it may be the cause"
                           : "balance the loop (schedule(guided)), or remove barriers (nowait)"};
}

std::optional<Finding> cpu_wait(const Profile& profile) {
  if (profile.cpu_wait_fraction < kCpuWait || has_placement_finding(profile)) return {};
  const auto worst =
      std::max_element(profile.ranks.begin(), profile.ranks.end(),
                       [](const auto& a, const auto& b) { return a.cpu_wait_s < b.cpu_wait_s; });
  return Finding{
      "cpu_taken",
      severity_of(profile.cpu_wait_fraction),
      "threads waited for a CPU",
      fmt::format("rank {} waited {} for a CPU; {} involuntary context switches", worst->rank,
                  format_seconds(worst->cpu_wait_s), format_count(worst->involuntary_switches)),
      fmt::format("{} of the threads' time", format_percent(profile.cpu_wait_fraction)),
      "start one thread per core, and run nothing else on these cores"};
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
      "combine several messages into one"};
}

std::optional<Finding> barriers(const Profile& profile) {
  const double wall = total_wall(profile);
  for (const SiteRow& site : sites_by_time(profile)) {
    if (site.call != "MPI_Barrier" || wall <= 0 || site.time_s / wall < kBarrier) continue;
    return Finding{"barrier",
                   "low",
                   fmt::format("ranks wait in {}", site_sentence(site)),
                   fmt::format("{} calls, {} summed over ranks", format_count(site.count),
                               format_seconds(site.time_s)),
                   fmt::format("up to {} of the time", format_percent(site.time_s / wall)),
                   "remove it unless something outside MPI needs it"};
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
      call_less_often(profile)};
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
  for (const auto& rule : {load_imbalance, idle_threads, cpu_wait, tiny_messages, barriers,
                           unrecorded_functions, lost_calls, overhead, openmp_not_measured}) {
    if (std::optional<Finding> found = rule(profile)) findings.push_back(std::move(*found));
  }
  return findings;
}

void sort_findings(std::vector<Finding>& findings) {
  const auto order = [](const Finding& finding) {
    const int severity = finding.severity == "high" ? 0 : finding.severity == "medium" ? 1 : 2;
    const bool first = is_placement_finding(finding) || finding.id == "cpu_taken" ||
                       finding.id == run::kOneRankJobs;
    return std::pair(severity, first ? 0 : 1);
  };
  std::stable_sort(findings.begin(), findings.end(),
                   [&](const Finding& a, const Finding& b) { return order(a) < order(b); });
}

}  // namespace plait::report
