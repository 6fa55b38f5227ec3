// SPDX-License-Identifier: BSD-3-Clause
// Fits straight lines to a curve with an unknown number of pieces.
#pragma once

#include <cstddef>
#include <vector>

namespace plait::model {

/// One point of a curve.
struct CurveSample {
  double x = 0;
  double y = 0;
  double error = 0;  ///< standard error of y; 0: unknown
};

/// One piece: y = intercept + slope * x for samples first..last.
struct Segment {
  std::size_t first = 0;
  std::size_t last = 0;
  double intercept = 0;
  double slope = 0;                 ///< never negative: longer messages are not faster
  double intercept_half_width = 0;  ///< of the 95 % interval
  double slope_half_width = 0;
  [[nodiscard]] double at(double x) const { return intercept + slope * x; }
};

/// Requirements on the pieces.
struct SegmentRules {
  std::size_t fewest = 3;        ///< samples per piece
  std::size_t most = 6;          ///< pieces
  double relative_error = 0.01;  ///< lower limit of the error of any y
};

/// The pieces in ascending order; neighbours need not meet, because a protocol switch makes the
/// curve jump.
///
/// For each number of pieces, dynamic programming over all positions finds the best breaks (Bai and
/// Perron 2003, "Computation and analysis of multiple structural change models", section 3); each
/// piece is a weighted least-squares fit. The number of pieces minimizes chi^2 / s^2 + 2 p ln n
/// with p = 3 pieces - 1 parameters. That is the criterion of Yao (1988, "Estimating the number of
/// change-points via Schwarz' criterion") with twice its penalty, because with two dozen points the
/// original finds breaks in noisy straight lines. s is the factor by which the scatter of the
/// samples exceeds their errors, at least 1: it comes from the median distance of a sample from the
/// line through its neighbours, which a few breaks do not change. If y decreases by a quarter or
/// more, the error of both samples is at least the decrease.
/// @param samples  ascending x
/// @return empty for fewer than `fewest` samples
std::vector<Segment> fit_segments(const std::vector<CurveSample>& samples,
                                  const SegmentRules& rules = {});

/// The least-squares line through all samples.
/// @param samples         at least two, ascending x
/// @param relative_error  lower limit of the error of any y
Segment fit_line(const std::vector<CurveSample>& samples, double relative_error);

}  // namespace plait::model
