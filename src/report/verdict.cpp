// SPDX-License-Identifier: BSD-3-Clause
// The verdict on a profile: where the time went and what caused the largest loss.
#include "report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "report/busiest.hpp"
#include "report/computation.hpp"
#include "report/site_text.hpp"
#include "report/total_wall.hpp"
#include "run/judge_run.hpp"
#include "text/interval.hpp"
#include "text/ratio.hpp"
#include "text/units.hpp"
#include "trace/frame_text.hpp"

namespace plait::report {
namespace {

// Share of the time below which a loss is not worth a change of the program.
constexpr double kWorthAChange = 0.05;
// Share of the time spent waiting for a CPU from which it is mentioned first.
constexpr double kDisturbed = 0.1;
// A loss of this share of the largest one could be the largest in the next run.
constexpr double kAsLarge = 0.75;
// Share of the time from which waiting for a CPU is mentioned.
constexpr double kMentioned = 0.005;
// Share of the time from which an interval is worth giving.
constexpr double kWide = 0.02;
// Share of the ranks' time in MPI above which other threads than the counted ones called a site.
constexpr double kOtherThreads = 1.05;

struct Loss {
  double share = 0;
  std::string name;      ///< "load imbalance, 12 %"
  std::string evidence;  ///< ": rank 3 ..."; may be empty
  std::string remark;    ///< for a loss that is named alone
};

Loss named(double share, const char* name) {
  return {share, fmt::format("{}, {}", name, format_percent(share)), "", ""};
}

/// The site at which ranks wait longest for others. A rank's waiting is its time there beyond the
/// least of all ranks, which is the time of the last to arrive. Nothing if no site has a tenth of
/// the loss.
std::optional<NamedSite> waiting_site(const Profile& profile, double lost_s) {
  std::optional<NamedSite> best;
  for (const Callers callers : {Callers::apart, Callers::together}) {
    double most = 0.1 * lost_s;
    for (const NamedSite& site : sites_by_time(profile, callers)) {
      const double waited = site.calls.time_s - site.calls.ranks * site.calls.time_min_s;
      if (waited <= most) continue;
      most = waited;
      best = site;
    }
    if (best) break;
  }
  return best;
}

/// ", 12 % called from solve": the caller with most of the time of a site that several callers use.
std::string main_caller(const Profile& profile, const NamedSite& site, double wall) {
  std::optional<NamedSite> of;
  int callers = 0;
  for (const NamedSite& one : sites_by_time(profile, Callers::apart)) {
    if (one.calls.call != site.calls.call || one.name.place != site.name.place) continue;
    ++callers;
    if (!of && !one.name.caller.empty()) of = one;
  }
  if (callers < 2 || !of) return "";
  return fmt::format(", {} called from {}", format_percent(of->calls.time_s / wall),
                     of->name.caller);
}

Loss imbalance(const Profile& profile, double share) {
  Loss loss = named(share, "load imbalance");
  const Busiest busiest = busiest_ranks(profile);
  const double ratio = busiest.ratio;
  loss.evidence = fmt::format(": {} computes {}", busiest.who,
                              ratio < 1.005 ? "longest" : format_ratio(ratio) + " times the mean");
  if (const std::string named = difference_sentence(profile, busiest.rank); !named.empty()) {
    loss.evidence = ": " + named;
  }
  if (const std::optional<NamedSite> site = waiting_site(profile, share * total_wall(profile))) {
    loss.remark = fmt::format(", the others wait in {}", site_sentence(*site));
  }
  return loss;
}

/// The profile has the time in MPI, but not why it took so long. A trace has.
Loss communication(const Profile& profile, double share) {
  Loss loss = named(share, "communication");
  const auto sites = sites_by_time(profile, Callers::together);
  const double wall = total_wall(profile);
  if (sites.empty() || wall <= 0) return loss;
  const std::string site = site_sentence(sites[0]);
  const double site_s = sites[0].calls.time_s;
  double mpi = 0;
  for (const RankRow& rank : profile.ranks) mpi += rank.mpi_s;
  // A rank's time in MPI is that of one thread, a site's that of all threads.
  if (site_s > kOtherThreads * mpi) {
    loss.evidence = fmt::format("; other threads spent {} in {}", format_seconds(site_s), site);
    return loss;
  }
  loss.evidence = fmt::format(": {} takes {} of the time{}", site, format_percent(site_s / wall),
                              main_caller(profile, sites[0], wall));
  if (profile.ranks.size() > 1 && share >= kWorthAChange) {
    loss.remark = "; part of it may be waiting for late ranks, which plait run --trace measures";
  }
  return loss;
}

Loss threads(const Profile& profile, double share) {
  Loss loss = named(share, "idle OpenMP threads");
  const auto worst =
      std::max_element(profile.openmp.regions.begin(), profile.openmp.regions.end(),
                       [](const auto& a, const auto& b) { return a.idle_s < b.idle_s; });
  if (worst != profile.openmp.regions.end() && worst->idle_s > 0) {
    const Frame frame{worst->function, worst->file, worst->line, "", ""};
    loss.evidence = fmt::format(", mostly in {}", trace::site_place({frame}));
  }
  return loss;
}

/// Waiting for a CPU inside MPI. A rank that also waits for a message loses nothing by it.
double cpu_wait_inside(const Profile& profile, const TimeShares& shares) {
  return std::min(losses_of(profile.efficiencies).communication, shares.mpi_wait);
}

/// Those of the program that may be the largest, in an order that does not depend on their size.
std::vector<Loss> largest_losses(const Profile& profile, const TimeShares& shares) {
  const model::Losses of = losses_of(profile.efficiencies);
  const double calls = of.communication - cpu_wait_inside(profile, shares);
  const double most = std::max({of.imbalance, calls, shares.omp_idle});
  const double least = std::max(kAsLarge * most, std::min(most, kWorthAChange));
  std::vector<Loss> losses;
  if (of.imbalance >= least) losses.push_back(imbalance(profile, of.imbalance));
  if (calls >= least) losses.push_back(communication(profile, calls));
  if (shares.omp_idle >= least) losses.push_back(threads(profile, shares.omp_idle));
  return losses;
}

/// "The largest loss is load imbalance, 12 %: rank 3 ...".
std::string loss_sentence(const std::vector<Loss>& losses) {
  if (losses.size() == 1) {
    const Loss& loss = losses.front();
    return fmt::format("The largest loss is {}{}{}.", loss.name, loss.evidence, loss.remark);
  }
  // A profile cannot say which of them causes the other.
  std::string text = "The largest losses are about equal (plait run --trace finds the cause): ";
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (i > 0) text += "; ";
    text += losses[i].name + losses[i].evidence;
  }
  return text + ".";
}

std::string division(const TimeShares& shares) {
  std::string text = fmt::format("{} of the time is computation, {} MPI",
                                 format_percent(shares.compute), format_percent(shares.mpi));
  if (shares.mpi_wait >= kMentioned) {
    text += fmt::format(" ({} without a CPU)", format_percent(shares.mpi_wait));
  }
  if (shares.cpu_wait >= kMentioned) {
    text += fmt::format(", {} waiting for a CPU", format_percent(shares.cpu_wait));
  }
  if (shares.omp_idle > 0) {
    text += fmt::format(", {} idle OpenMP threads", format_percent(shares.omp_idle));
  }
  return text;
}

std::string without_records(const Profile& profile) {
  if (!profile.missing.empty()) return "Nothing to report: " + profile.missing.front() + ".";
  std::string text = "Nothing to report: no process of the command initialized MPI";
  if (profile.signal) text += fmt::format("; it was ended by signal {}", *profile.signal);
  if (profile.exit_code.value_or(0) != 0) {
    text += fmt::format("; it failed with exit code {}, see stderr.txt", *profile.exit_code);
  }
  if (!profile.notes.empty()) text += "; " + profile.notes.front();
  return text + ".";
}

/// The cause of most waiting for a CPU, in parentheses; empty if it is not known.
std::string cause_of_cpu_wait(const Contention& of) {
  const double most = std::max({of.own_ranks_s, of.other_programs_s, of.throttled_s});
  if (most <= 0) return "";
  if (most == of.own_ranks_s) return " (the run's own threads share CPUs)";
  return most == of.other_programs_s ? " (other programs used it)"
                                     : " (the cgroup quota was used up)";
}

/// What waiting for a CPU cost, if that is worth mentioning; otherwise empty.
std::string cpu_wait_sentence(const Profile& profile, const TimeShares& shares) {
  const double outside = losses_of(profile.efficiencies).cpu_wait;
  const double inside = cpu_wait_inside(profile, shares);
  if (std::max(outside + inside, profile.cpu_wait_fraction) < kDisturbed) return "";
  std::string text = fmt::format("Ranks waited {} of the time for a CPU{}",
                                 format_percent(std::min(1.0, profile.cpu_wait_fraction)),
                                 cause_of_cpu_wait(profile.contention));
  if (outside + inside < kMentioned) return text + ". ";
  const auto percent = [](double share) { return format_percent(share); };
  text += fmt::format(
      ", which cost {} of the run",
      inside < kWide ? percent(outside) : format_range(outside, outside + inside, percent));
  // A trace knows which of the two it was.
  if (inside >= kWide) text += ": inside MPI they may also have waited for late ranks";
  return text + ". ";
}

/// What disturbs the run: shared cores and waiting for a CPU; otherwise empty.
std::string preamble(const Profile& profile) {
  const std::string waiting = cpu_wait_sentence(profile, time_shares(profile));
  std::string text;
  for (const Finding& finding : profile.findings) {
    if (finding.id == run::kOneRankJobs) return finding.what + ". ";
    const bool said = finding.id == "foreign_processes" && !waiting.empty();
    if (finding.severity == "high" && is_placement_finding(finding) && !said) {
      text = fmt::format("Fix the placement first: {}. ", finding.what);
      break;
    }
  }
  return text + waiting;
}

/// @param first  the verdict has named nothing else before
std::string time_sentence(const Profile& profile, bool traced, bool first) {
  const TimeShares shares = time_shares(profile);
  if (sites_by_time(profile, Callers::together).empty()) {
    return shares.omp_idle >= kWorthAChange
               ? "The program only starts and ends MPI. " +
                     loss_sentence({threads(profile, shares.omp_idle)})
               : "The program only starts and ends MPI; all of its time is computation.";
  }
  if (traced)
    return fmt::format("{}. The analysis of the trace names the causes.", division(shares));
  const std::vector<Loss> losses = largest_losses(profile, shares);
  const bool worth = std::any_of(losses.begin(), losses.end(),
                                 [](const Loss& loss) { return loss.share >= kWorthAChange; });
  return fmt::format("{}{}. {}", worth || !first ? "" : "Nothing stands out: ", division(shares),
                     loss_sentence(losses));
}

}  // namespace

TimeShares time_shares(const Profile& profile) {
  const double wall = total_wall(profile);
  TimeShares shares;
  if (wall <= 0) return shares;
  for (const RankRow& rank : profile.ranks) {
    shares.compute += (rank.compute_s - rank.compute_wait_s) / wall;
    shares.cpu_wait += rank.compute_wait_s / wall;
    shares.mpi += rank.mpi_s / wall;
    shares.mpi_wait += rank.mpi_wait_s / wall;
    shares.omp_idle += rank.omp_idle_s / wall;
  }
  return shares;
}

model::Losses losses_of(const EfficiencyTable& table) {
  model::Efficiencies of;
  of.parallel.value = table.parallel.value;
  of.communication.value = table.communication.value;
  of.cpu.value = table.cpu.value;
  return model::losses(of);
}

bool is_placement_finding(const Finding& finding) {
  constexpr std::array<std::string_view, 7> kIds{
      "threads_on_one_core", "ranks_overlap",     "foreign_processes",    "oversubscribed_spin",
      "oversubscribed",      "quota_below_cores", "unbound_threads_float"};
  return std::find(kIds.begin(), kIds.end(), finding.id) != kIds.end();
}

bool is_sharing_finding(const Finding& finding) {
  constexpr std::array<std::string_view, 4> kIds{"threads_on_one_core", "ranks_overlap",
                                                 "oversubscribed_spin", "oversubscribed"};
  return std::find(kIds.begin(), kIds.end(), finding.id) != kIds.end();
}

double useful_s(const RankRow& rank) {
  return model::useful_s({rank.wall_s, rank.mpi_s, rank.cpu_wait_s, rank.threads,
                          rank.compute_wait_s, rank.mpi_wait_s});
}

bool waits_outside_mpi(const Profile& profile) {
  return std::any_of(profile.ranks.begin(), profile.ranks.end(),
                     [](const RankRow& rank) { return rank.compute_wait_s >= 0.01 * rank.wall_s; });
}

std::string verdict(const Profile& profile, bool traced) {
  if (profile.ranks.empty()) return without_records(profile);
  const std::string before = preamble(profile);
  return before + time_sentence(profile, traced, before.empty());
}

}  // namespace plait::report
