// SPDX-License-Identifier: BSD-3-Clause
// Fits straight lines to a curve with an unknown number of pieces.
#include "model/segmented_regression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics.hpp"
#include "model/least_squares.hpp"

namespace plait::model {
namespace {

double weight(const CurveSample& sample, double relative_error) {
  const double floor = relative_error * std::abs(sample.y);
  const double variance = sample.error * sample.error + floor * floor;
  return variance > 0 ? 1 / variance : 1;
}

struct Line {
  Segment segment;
  double chi2 = 0;
};

/// Weighted least squares; a line that would decrease is made flat.
Line fit_range(const std::vector<CurveSample>& samples, std::size_t first, std::size_t last,
               double relative_error) {
  double w = 0;
  double x_mean = 0;
  double y_mean = 0;
  for (std::size_t i = first; i <= last; ++i) {
    const double wi = weight(samples[i], relative_error);
    w += wi;
    x_mean += wi * samples[i].x;
    y_mean += wi * samples[i].y;
  }
  x_mean /= w;
  y_mean /= w;
  double xx = 0;
  double xy = 0;
  for (std::size_t i = first; i <= last; ++i) {
    const double wi = weight(samples[i], relative_error);
    xx += wi * (samples[i].x - x_mean) * (samples[i].x - x_mean);
    xy += wi * (samples[i].x - x_mean) * (samples[i].y - y_mean);
  }
  Line line;
  line.segment.first = first;
  line.segment.last = last;
  line.segment.slope = xx > 0 ? std::max(0.0, xy / xx) : 0;
  line.segment.intercept = y_mean - line.segment.slope * x_mean;
  for (std::size_t i = first; i <= last; ++i) {
    const double distance = samples[i].y - line.segment.at(samples[i].x);
    line.chi2 += weight(samples[i], relative_error) * distance * distance;
  }
  const std::size_t degrees = last - first > 1 ? last - first - 1 : 1;
  const double spread = std::sqrt(std::max(1.0, line.chi2 / static_cast<double>(degrees)));
  const double t = student_t(degrees) * spread;
  line.segment.slope_half_width = xx > 0 ? t / std::sqrt(xx) : 0;
  line.segment.intercept_half_width = t * std::sqrt(1 / w + (xx > 0 ? x_mean * x_mean / xx : 0));
  return line;
}

constexpr double kImpossible = std::numeric_limits<double>::infinity();

/// The best division of samples 0..i into a number of pieces, for all i at once.
struct Division {
  std::vector<double> chi2;             ///< by i
  std::vector<std::size_t> last_first;  ///< where the last piece begins
};

/// The lines of all ranges, [first][last].
using Lines = std::vector<std::vector<Line>>;

Lines all_lines(const std::vector<CurveSample>& samples, const SegmentRules& rules) {
  Lines lines(samples.size(), std::vector<Line>(samples.size()));
  for (std::size_t first = 0; first < samples.size(); ++first) {
    for (std::size_t last = first + rules.fewest - 1; last < samples.size(); ++last) {
      lines[first][last] = fit_range(samples, first, last, rules.relative_error);
    }
  }
  return lines;
}

/// The best divisions with one more piece at the end.
Division one_more(const Division& before, const Lines& lines, std::size_t fewest) {
  const std::size_t n = lines.size();
  Division division{std::vector<double>(n, kImpossible), std::vector<std::size_t>(n, 0)};
  for (std::size_t last = 0; last < n; ++last) {
    for (std::size_t first = fewest; first + fewest <= last + 1; ++first) {
      const double chi2 = before.chi2[first - 1] + lines[first][last].chi2;
      if (chi2 < division.chi2[last]) {
        division.chi2[last] = chi2;
        division.last_first[last] = first;
      }
    }
  }
  return division;
}

double criterion(double chi2, std::size_t samples, std::size_t pieces) {
  const double parameters = 3 * static_cast<double>(pieces) - 1;
  return chi2 + 2 * parameters * std::log(static_cast<double>(samples));
}

/// The factor by which the scatter of the samples exceeds their errors, at least 1. It is the
/// median distance of a sample from the line through its neighbours, which a few breaks do not
/// change (0.6745 is the median of |z| for a standard normal z).
double noise(const std::vector<CurveSample>& samples, double relative_error) {
  std::vector<double> distances;
  for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
    const CurveSample& before = samples[i - 1];
    const CurveSample& after = samples[i + 1];
    const double part = (samples[i].x - before.x) / (after.x - before.x);
    const double variance = 1 / weight(samples[i], relative_error) +
                            (1 - part) * (1 - part) / weight(before, relative_error) +
                            part * part / weight(after, relative_error);
    const double distance = samples[i].y - (1 - part) * before.y - part * after.y;
    distances.push_back(std::abs(distance) / std::sqrt(variance));
  }
  return std::max(1.0, median(distances) / 0.6745);
}

/// Longer messages are not faster. If the time decreases with size by more than noise, one of the
/// two samples was disturbed by at least that much, and it is unknown which.
constexpr double kDisturbance = 0.25;
std::vector<CurveSample> with_disturbances(std::vector<CurveSample> samples) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double falls = samples[i - 1].y - samples[i].y;
    if (falls <= kDisturbance * samples[i].y) continue;
    samples[i - 1].error = std::max(samples[i - 1].error, falls);
    samples[i].error = std::max(samples[i].error, falls);
  }
  return samples;
}

}  // namespace

Segment fit_line(const std::vector<CurveSample>& samples, double relative_error) {
  return fit_range(samples, 0, samples.size() - 1, relative_error).segment;
}

std::vector<Segment> fit_segments(const std::vector<CurveSample>& samples,
                                  const SegmentRules& rules) {
  const std::size_t n = samples.size();
  if (n < rules.fewest) return {};
  const Lines lines = all_lines(with_disturbances(samples), rules);
  std::vector<Division> divisions(1);
  divisions[0].chi2.assign(n, kImpossible);
  divisions[0].last_first.assign(n, 0);
  for (std::size_t last = rules.fewest - 1; last < n; ++last) {
    divisions[0].chi2[last] = lines[0][last].chi2;
  }
  const double scatter = noise(samples, rules.relative_error);
  const auto cost = [&](std::size_t pieces) {
    return criterion(divisions[pieces - 1].chi2[n - 1] / (scatter * scatter), n, pieces);
  };
  std::size_t best = 1;
  for (std::size_t pieces = 2; pieces <= rules.most && pieces * rules.fewest <= n; ++pieces) {
    divisions.push_back(one_more(divisions.back(), lines, rules.fewest));
    if (cost(pieces) < cost(best)) best = pieces;
  }
  std::vector<Segment> segments;
  std::size_t last = n - 1;
  for (std::size_t piece = best; piece-- > 0;) {
    const std::size_t first = divisions[piece].last_first[last];
    segments.insert(segments.begin(), lines[first][last].segment);
    last = first - 1;
  }
  return segments;
}

}  // namespace plait::model
