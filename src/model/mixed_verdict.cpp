// SPDX-License-Identifier: BSD-3-Clause
// Judges whether messages inside a node overlap with those between nodes (Stengel 2010, section
// 3.3).
#include "model/mixed_verdict.hpp"

#include <algorithm>

#include "machine/measured_text.hpp"
#include "model/hidden_share.hpp"

namespace plait::model {
namespace {

using machine::MixedPoint;
using machine::MixedVerdict;

constexpr double kBalanced = 4;
constexpr int kFewestSamples = 3;

bool of_verdict(const MixedPoint& point, const MixedVerdict& verdict) {
  return point.senders == verdict.senders && point.protocol == verdict.protocol &&
         point.rank0 == verdict.rank0;
}

bool balanced(const MixedPoint& point) {
  const auto [shorter, longer] = std::minmax(point.intra_us.median, point.inter_us.median);
  return longer <= kBalanced * shorter;
}

HiddenShares shares_of(const std::vector<MixedPoint>& points, const MixedVerdict& verdict) {
  HiddenShares shares;
  for (const MixedPoint& point : points) {
    if (!of_verdict(point, verdict) || !balanced(point)) continue;
    const auto figures = {&point.intra_us, &point.inter_us, &point.both_us};
    if (std::ranges::any_of(figures, [](const machine::Statistic* figure) {
          return figure->disturbed > 0 || figure->n < kFewestSamples;
        })) {
      ++shares.disturbed;
      continue;
    }
    shares.quiet.push_back(hidden_share(interval_of_median(point.intra_us),
                                        interval_of_median(point.inter_us),
                                        interval_of_median(point.both_us)));
  }
  return shares;
}

}  // namespace

std::vector<MixedVerdict> judge_mixed(const machine::Measured& measured) {
  std::vector<MixedVerdict> verdicts;
  for (const MixedPoint& point : measured.mixed) {
    const auto same = [&](const MixedVerdict& verdict) { return of_verdict(point, verdict); };
    if (std::ranges::any_of(verdicts, same)) continue;
    MixedVerdict verdict;
    verdict.senders = point.senders;
    verdict.protocol = point.protocol;
    verdict.rank0 = point.rank0;
    const HiddenVerdict judged =
        judge_hidden({shares_of(measured.mixed, verdict)}, kFewestMixedPoints);
    verdict.overlaps = judged.overlaps;
    verdict.overlapped = judged.share.value;
    verdict.low = judged.share.low;
    verdict.high = judged.share.high;
    verdict.points = judged.points;
    verdict.undecided = judged.undecided;
    verdict.reason = judged.reason;
    verdict.sentence = machine::mixed_sentence(verdict);
    verdicts.push_back(verdict);
  }
  return verdicts;
}

}  // namespace plait::model
