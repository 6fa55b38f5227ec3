// SPDX-License-Identifier: BSD-3-Clause
// Judges from the points of the overlap probe whether an MPI moves messages during computation.
#include "model/overlap_verdict.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/statistics.hpp"
#include "machine/measured_text.hpp"

namespace plait::model {
namespace {

using machine::Measured;
using machine::OverlapPoint;
using machine::OverlapVerdict;

/// The hidden fraction from which on an MPI counts as making progress.
constexpr double kProgresses = 0.5;

bool of_verdict(const OverlapPoint& point, const OverlapVerdict& verdict) {
  return point.path == verdict.path && point.protocol == verdict.protocol &&
         point.setting == verdict.setting;
}

/// True when work and message are similar enough for most of the shorter one to be hidden.
bool balanced(const OverlapPoint& point) {
  return point.work_us >= point.alone_us / 2 && point.work_us <= point.alone_us * 2;
}

/// The median hidden fraction of each operation during work of this kind; the least of them.
/// Negative when there are no such points.
double least_hidden(const Measured& measured, const OverlapVerdict& verdict,
                    const std::string& work) {
  std::map<std::string, std::vector<double>> hidden;
  for (const OverlapPoint& point : measured.overlap) {
    if (!of_verdict(point, verdict) || point.work != work || !balanced(point)) continue;
    hidden[point.operation].push_back(hidden_part(point));
  }
  double least = -1;
  for (const auto& [operation, parts] : hidden) {
    const double middle = median(parts);
    least = least < 0 ? middle : std::min(least, middle);
  }
  return least;
}

}  // namespace

double hidden_part(const OverlapPoint& point) {
  const double shorter = std::min(point.alone_us, point.work_us);
  if (shorter <= 0) return 0;
  const double saved = point.alone_us + point.work_us - point.total_us.median;
  return std::clamp(saved / shorter, 0.0, 1.0);
}

std::vector<OverlapVerdict> judge_overlap(const Measured& measured) {
  std::vector<OverlapVerdict> verdicts;
  const std::string mpi = machine::mpi_name(measured);
  for (const OverlapPoint& point : measured.overlap) {
    const auto same = [&](const OverlapVerdict& verdict) { return of_verdict(point, verdict); };
    if (std::ranges::any_of(verdicts, same)) continue;
    OverlapVerdict verdict{point.path, point.protocol, point.setting, false, 0, ""};
    double hidden = least_hidden(measured, verdict, "compute");
    if (hidden < 0) hidden = least_hidden(measured, verdict, "memory");
    if (hidden < 0) continue;
    verdict.overlapped = hidden;
    verdict.progresses = hidden >= kProgresses;
    verdict.sentence = machine::overlap_sentence(verdict, mpi);
    verdicts.push_back(verdict);
  }
  return verdicts;
}

}  // namespace plait::model
