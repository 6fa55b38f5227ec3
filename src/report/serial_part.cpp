// SPDX-License-Identifier: BSD-3-Clause
// What serial parts cost a run with OpenMP: the function that its threads wait for.
#include "report/serial_part.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/computation.hpp"
#include "text/interval.hpp"
#include "text/units.hpp"

namespace plait::report {
namespace {

constexpr double kWorthALine = 0.10;  // of the ranks' time, as for idle threads
constexpr double kMostly = 0.5;       // of a function's time: twice as fast at best

/// The mean over ranks of the part of its threads that have no work while one computes.
double share_without_work(const Profile& profile) {
  double sum = 0;
  for (const RankRow& rank : profile.ranks) sum += 1 - 1.0 / std::max(1, rank.threads);
  return profile.ranks.empty() ? 0 : sum / static_cast<double>(profile.ranks.size());
}

}  // namespace

std::string SerialLoss::text() const {
  const std::string most = inside.empty() ? "" : ", most of it in " + inside;
  return fmt::format("{} ({}){}", sentence, interval, most);
}

std::optional<SerialLoss> serial_loss(const Profile& profile) {
  if (!profile.computation || !profile.computation->serial || profile.openmp.regions.empty()) {
    return {};
  }
  const SerialRow& of = *profile.computation->serial;
  double wall = 0;
  for (const RankRow& rank : profile.ranks) wall += rank.wall_s;
  if (wall <= 0 || of.share <= 0) return {};
  SerialLoss loss;
  loss.share = std::min(1.0, of.time_s / wall) * share_without_work(profile);
  if (loss.share * of.low / of.share < kWorthALine) return {};
  loss.sentence = fmt::format("OpenMP {} in {}: serial part {}",
                              of.low >= kMostly ? "does not help" : "helps little",
                              place_of(of.place), format_percent(of.share));
  loss.interval = format_range(of.low, of.high, format_percent);
  const bool itself = of.inside.function == of.place.function && of.inside.file == of.place.file;
  if (!itself) loss.inside = place_of(of.inside);
  return loss;
}

}  // namespace plait::report
