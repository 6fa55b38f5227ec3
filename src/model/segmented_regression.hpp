// SPDX-License-Identifier: BSD-3-Clause
// Fits straight lines to a curve whose number of pieces is not known.
#pragma once

#include <cstddef>
#include <vector>

namespace plait::model {

/// One point of a curve.
struct CurveSample {
  double x = 0;
  double y = 0;
  double error = 0;  ///< standard error of y; 0: not known
};

/// One piece: y = intercept + slope * x for the samples first..last.
struct Segment {
  std::size_t first = 0;
  std::size_t last = 0;
  double intercept = 0;
  double slope = 0;                 ///< never negative: longer messages are not quicker
  double intercept_half_width = 0;  ///< of the 95 % intervals
  double slope_half_width = 0;
  [[nodiscard]] double at(double x) const { return intercept + slope * x; }
};

/// What is asked of the pieces.
struct SegmentRules {
  std::size_t fewest = 3;        ///< samples of a piece
  std::size_t most = 6;          ///< pieces
  double relative_error = 0.01;  ///< of any y at least, however narrow its interval
};

/// The pieces, ascending; neighbours need not meet (a protocol's start-up makes the curve jump).
///
/// For each number of pieces the best places of the breaks are found by dynamic programming over
/// all places (Bai and Perron 2003, "Computation and analysis of multiple structural change
/// models", section 3), each piece by weighted least squares. Their number is that of the least
/// chi^2 / s^2 + 2 p ln n with p = 3 pieces - 1 parameters: the criterion of Yao (1988, "Estimating
/// the number of change-points via Schwarz' criterion") with twice its penalty, since with two
/// dozen points the plain one sees breaks in straight lines with noise. s says by how much the
/// samples scatter more than their errors: from the median distance of a sample from the line
/// through its neighbours, which a few breaks do not change; at least 1. Where y falls by a quarter
/// or more, the error of both samples is at least the fall.
/// @param samples  ascending x
/// @return none for fewer than `fewest` samples
std::vector<Segment> fit_segments(const std::vector<CurveSample>& samples,
                                  const SegmentRules& rules = {});

/// The line through all samples. @param samples  at least two
Segment fit_line(const std::vector<CurveSample>& samples, double relative_error);

}  // namespace plait::model
