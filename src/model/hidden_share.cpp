// SPDX-License-Identifier: BSD-3-Clause
// The fraction of the shorter of two activities that another hides, with its interval, and what
// follows from several measurements of it.
#include "model/hidden_share.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/statistics.hpp"
#include "text/interval.hpp"
#include "text/units.hpp"

namespace plait::model {
namespace {

double share_of(double one, double other, double both) {
  const double shorter = std::min(one, other);
  return shorter > 0 ? std::clamp((one + other - both) / shorter, 0.0, 1.0) : 0;
}

std::vector<double> all(const std::vector<Interval>& shares, double Interval::*end) {
  std::vector<double> values;
  for (const Interval& share : shares) values.push_back(share.*end);
  return values;
}

Interval share_of(const HiddenShares& kind) {
  if (kind.quiet.empty()) return {0, 0, 1};
  const MedianInterval middle = median_interval(all(kind.quiet, &Interval::value));
  return {middle.median, std::min(median(all(kind.quiet, &Interval::low)), middle.low),
          std::max(median(all(kind.quiet, &Interval::high)), middle.high)};
}

/// Why there are too few quiet measurements.
std::string too_few(const HiddenShares& kind) {
  const std::size_t quiet = kind.quiet.size();
  const std::size_t of =
      quiet + static_cast<std::size_t>(kind.disturbed) + static_cast<std::size_t>(kind.unsteady);
  if (of == 0) return "in no measurement did both take similarly long";
  std::string text = fmt::format("{} of {} measurements can be used", quiet, of);
  if (kind.disturbed > 0) {
    text += fmt::format("; the ranks waited for a CPU in {}", kind.disturbed);
  }
  if (kind.unsteady > 0) text += fmt::format("; the machine was slower in {}", kind.unsteady);
  return text;
}

}  // namespace

Interval interval_of_median(const machine::Statistic& value) {
  return {value.median, std::min(value.ci_low, value.median),
          std::max(value.ci_high, value.median)};
}

Interval hidden_share(const Interval& one, const Interval& other, const Interval& both) {
  Interval share;
  share.value = share.low = share.high = share_of(one.value, other.value, both.value);
  for (const double a : {one.low, one.high}) {
    for (const double b : {other.low, other.high}) {
      for (const double c : {both.low, both.high}) {
        const double end = share_of(a, b, c);
        share.low = std::min(share.low, end);
        share.high = std::max(share.high, end);
      }
    }
  }
  return share;
}

HiddenVerdict judge_hidden(const std::vector<HiddenShares>& kinds, int fewest) {
  HiddenVerdict verdict;
  if (kinds.empty()) {
    verdict.undecided = true;
    verdict.reason = "nothing was measured";
    return verdict;
  }
  verdict.share = {1, 1, 1};
  verdict.overlaps = true;
  verdict.points = static_cast<int>(kinds.front().quiet.size());
  bool never = false;
  for (const HiddenShares& kind : kinds) {
    const int points = static_cast<int>(kind.quiet.size());
    verdict.points = std::min(verdict.points, points);
    const bool enough = points >= fewest;
    if (!enough && verdict.reason.empty()) verdict.reason = too_few(kind);
    const Interval share = share_of(kind);
    never = never || (enough && share.high < kOverlaps);
    verdict.overlaps = verdict.overlaps && enough && share.low >= kOverlaps;
    verdict.share = {std::min(verdict.share.value, share.value),
                     std::min(verdict.share.low, share.low),
                     std::min(verdict.share.high, share.high)};
  }
  verdict.undecided = !verdict.overlaps && !never;
  if (!verdict.undecided) {
    verdict.reason.clear();
  } else if (verdict.reason.empty()) {
    verdict.reason = fmt::format(
        "{} are hidden", format_range(verdict.share.low, verdict.share.high, format_percent));
  }
  return verdict;
}

}  // namespace plait::model
