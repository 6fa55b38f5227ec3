// SPDX-License-Identifier: BSD-3-Clause
// The verdict on a profile: where the time went and what caused the largest loss.
#include "report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "report/site_text.hpp"
#include "run/judge_run.hpp"
#include "text/ratio.hpp"
#include "text/units.hpp"
#include "trace/frame_text.hpp"

namespace plait::report {
namespace {

// Share of the time below which a loss is not worth a change of the program.
constexpr double kWorthAChange = 0.05;
// Share of the time spent waiting for a CPU above which all figures are doubtful.
constexpr double kDoubtful = 0.1;
// Share of the ranks' time in MPI above which other threads than the counted ones called a site.
constexpr double kOtherThreads = 1.05;

struct Loss {
  double share = 0;
  std::string sentence;  ///< "load imbalance, 12 %: rank 3 ..."
};

double total_wall(const Profile& profile) {
  double wall = 0;
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  return wall;
}

/// The site at which ranks wait longest for others. A rank's waiting is its time there beyond the
/// least of all ranks, which is the time of the last to arrive. Nothing if no site has a tenth of
/// the loss.
std::optional<SiteRow> waiting_site(const Profile& profile, double lost_s) {
  std::optional<SiteRow> best;
  double most = 0.1 * lost_s;
  for (const SiteRow& site : sites_by_time(profile)) {
    const double waited = site.time_s - site.ranks * site.time_min_s;
    if (waited <= most) continue;
    most = waited;
    best = site;
  }
  return best;
}

Loss imbalance(const Profile& profile, double share) {
  const auto busiest = std::max_element(
      profile.ranks.begin(), profile.ranks.end(),
      [](const RankRow& a, const RankRow& b) { return a.wall_s - a.mpi_s < b.wall_s - b.mpi_s; });
  double sum = 0;
  for (const RankRow& rank : profile.ranks) sum += rank.wall_s - rank.mpi_s;
  const double mean = sum / static_cast<double>(profile.ranks.size());
  const double ratio = mean > 0 ? (busiest->wall_s - busiest->mpi_s) / mean : 1;
  std::string text =
      fmt::format("load imbalance, {}: rank {} computes {}", format_percent(share), busiest->rank,
                  ratio < 1.005 ? "longest" : format_ratio(ratio) + " times the mean");
  if (const std::optional<SiteRow> site = waiting_site(profile, share * total_wall(profile))) {
    text += fmt::format(", the others wait in {}", site_sentence(*site));
  }
  return {share, text};
}

Loss communication(const Profile& profile, double share) {
  std::string text = fmt::format("communication, {}", format_percent(share));
  const auto sites = sites_by_time(profile);
  const double wall = total_wall(profile);
  if (sites.empty() || wall <= 0) return {share, text};
  const std::string site = site_sentence(sites[0]);
  double mpi = 0;
  for (const RankRow& rank : profile.ranks) mpi += rank.mpi_s;
  // A rank's time in MPI is that of one thread, a site's that of all threads.
  if (sites[0].time_s > kOtherThreads * mpi) {
    text += fmt::format("; other threads spent {} in {}", format_seconds(sites[0].time_s), site);
  } else {
    text += fmt::format(": {} takes {} of the time", site, format_percent(sites[0].time_s / wall));
  }
  return {share, text};
}

Loss threads(const Profile& profile, double share) {
  std::string text = fmt::format("idle OpenMP threads, {}", format_percent(share));
  const auto worst =
      std::max_element(profile.openmp.regions.begin(), profile.openmp.regions.end(),
                       [](const auto& a, const auto& b) { return a.idle_s < b.idle_s; });
  if (worst != profile.openmp.regions.end() && worst->idle_s > 0) {
    const Frame frame{worst->function, worst->file, worst->line, "", ""};
    text += fmt::format(", mostly in {}", trace::site_place({frame}));
  }
  return {share, text};
}

Loss largest_loss(const Profile& profile, const TimeShares& shares) {
  const model::Losses of = losses_of(profile.efficiencies);
  const std::array<double, 3> all{of.communication, of.imbalance, shares.omp_idle};
  const auto at = std::max_element(all.begin(), all.end()) - all.begin();
  if (at == 0) return communication(profile, of.communication);
  if (at == 1) return imbalance(profile, of.imbalance);
  return threads(profile, shares.omp_idle);
}

std::string division(const TimeShares& shares) {
  std::string text = fmt::format("{} of the time is computation, {} MPI",
                                 format_percent(shares.compute), format_percent(shares.mpi));
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

/// The reason why all figures are doubtful: shared cores or waiting for a CPU; otherwise empty.
std::string preamble(const Profile& profile) {
  for (const Finding& finding : profile.findings) {
    if (finding.id == run::kOneRankJobs) return finding.what + ". ";
    if (finding.severity == "high" && is_placement_finding(finding)) {
      return fmt::format("Fix the placement first: {}. ", finding.what);
    }
  }
  if (profile.cpu_wait_fraction < kDoubtful) return "";
  return fmt::format("Ranks waited {} of the time for a CPU; all figures are affected. ",
                     format_percent(std::min(1.0, profile.cpu_wait_fraction)));
}

std::string time_sentence(const Profile& profile) {
  const TimeShares shares = time_shares(profile);
  if (sites_by_time(profile).empty()) {
    return shares.omp_idle >= kWorthAChange
               ? fmt::format("The program only starts and ends MPI. The largest loss is {}.",
                             threads(profile, shares.omp_idle).sentence)
               : "The program only starts and ends MPI; all of its time is computation.";
  }
  const Loss loss = largest_loss(profile, shares);
  if (loss.share < kWorthAChange) {
    return fmt::format("Nothing stands out: {}. The largest loss is {}.", division(shares),
                       loss.sentence);
  }
  return fmt::format("{}. The largest loss is {}.", division(shares), loss.sentence);
}

}  // namespace

TimeShares time_shares(const Profile& profile) {
  const double wall = total_wall(profile);
  TimeShares shares;
  if (wall <= 0) return shares;
  for (const RankRow& rank : profile.ranks) {
    shares.compute += rank.compute_s / wall;
    shares.mpi += rank.mpi_s / wall;
    shares.omp_idle += rank.omp_idle_s / wall;
  }
  return shares;
}

model::Losses losses_of(const EfficiencyTable& table) {
  model::Efficiencies of;
  of.parallel.value = table.parallel.value;
  of.communication.value = table.communication.value;
  return model::losses(of);
}

bool is_placement_finding(const Finding& finding) {
  constexpr std::array<std::string_view, 7> kIds{
      "threads_on_one_core", "ranks_overlap",     "foreign_processes",    "oversubscribed_spin",
      "oversubscribed",      "quota_below_cores", "unbound_threads_float"};
  return std::find(kIds.begin(), kIds.end(), finding.id) != kIds.end();
}

std::string verdict(const Profile& profile) {
  if (profile.ranks.empty()) return without_records(profile);
  return preamble(profile) + time_sentence(profile);
}

}  // namespace plait::report
