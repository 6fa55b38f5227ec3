// SPDX-License-Identifier: BSD-3-Clause
// Judges from the points of the overlap probe whether an MPI moves messages during computation.
#include "model/overlap_verdict.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "machine/measured_text.hpp"
#include "model/hidden_share.hpp"

namespace plait::model {
namespace {

using machine::Measured;
using machine::OverlapPoint;
using machine::OverlapVerdict;

constexpr double kSlowerSentinel = 1.10;
constexpr int kFewestSamples = 3;

bool of_verdict(const OverlapPoint& point, const OverlapVerdict& verdict) {
  return point.path == verdict.path && point.protocol == verdict.protocol &&
         point.setting == verdict.setting;
}

/// True when work and message are similar enough for most of the shorter one to be hidden.
bool balanced(const OverlapPoint& point) {
  return point.work_us >= point.alone_us / 2 && point.work_us <= point.alone_us * 2;
}

Interval interval_of(double value, const std::array<double, 2>& range) {
  if (range[1] <= 0) return {value, value, value};
  return {value, std::min(value, range[0]), std::max(value, range[1])};
}

/// The points of each operation during work of this kind.
std::vector<HiddenShares> shares_of(const Measured& measured, const OverlapVerdict& verdict,
                                    const std::string& work) {
  double fastest_ns = 0;
  for (const OverlapPoint& point : measured.overlap) {
    const bool known = of_verdict(point, verdict) && point.sentinel_ns > 0;
    if (known && (fastest_ns <= 0 || point.sentinel_ns < fastest_ns)) {
      fastest_ns = point.sentinel_ns;
    }
  }
  std::map<std::string, HiddenShares> operations;
  for (const OverlapPoint& point : measured.overlap) {
    if (!of_verdict(point, verdict) || point.work != work || !balanced(point)) continue;
    HiddenShares& shares = operations[point.operation];
    if (point.disturbed > 0 || point.total_us.n < kFewestSamples) {
      ++shares.disturbed;
    } else if (point.sentinel_ns > kSlowerSentinel * fastest_ns) {
      ++shares.unsteady;
    } else {
      shares.quiet.push_back(hidden_part(point));
    }
  }
  std::vector<HiddenShares> kinds;
  for (auto& [operation, shares] : operations) kinds.push_back(std::move(shares));
  return kinds;
}

}  // namespace

Interval hidden_part(const OverlapPoint& point) {
  return hidden_share(interval_of(point.alone_us, point.alone_range_us),
                      interval_of(point.work_us, point.work_range_us),
                      interval_of_median(point.total_us));
}

std::vector<OverlapVerdict> judge_overlap(const Measured& measured) {
  std::vector<OverlapVerdict> verdicts;
  const std::string mpi = machine::mpi_name(measured);
  for (const OverlapPoint& point : measured.overlap) {
    const auto same = [&](const OverlapVerdict& verdict) { return of_verdict(point, verdict); };
    if (std::ranges::any_of(verdicts, same)) continue;
    OverlapVerdict verdict;
    verdict.path = point.path;
    verdict.protocol = point.protocol;
    verdict.setting = point.setting;
    std::vector<HiddenShares> kinds = shares_of(measured, verdict, "compute");
    if (kinds.empty()) kinds = shares_of(measured, verdict, "memory");
    if (kinds.empty()) continue;
    const HiddenVerdict judged = judge_hidden(kinds, kFewestOverlapPoints);
    verdict.progresses = judged.overlaps;
    verdict.overlapped = judged.share.value;
    verdict.low = judged.share.low;
    verdict.high = judged.share.high;
    verdict.points = judged.points;
    verdict.undecided = judged.undecided;
    verdict.reason = judged.reason;
    verdict.sentence = machine::overlap_sentence(verdict, mpi);
    verdicts.push_back(verdict);
  }
  return verdicts;
}

}  // namespace plait::model
