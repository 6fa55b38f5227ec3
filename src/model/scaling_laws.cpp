// SPDX-License-Identifier: BSD-3-Clause
// Laws of scalability fitted to measured times: Amdahl's, Gustafson's and the universal scalability
// law, each with intervals.
#include "model/scaling_laws.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "model/least_squares.hpp"

namespace plait::model {
namespace {

/// Lower limit of the standard error of a time, relative: a few runs may agree by chance.
constexpr double kLeastError = 0.01;

double error_of(const ScalingSample& sample) {
  return std::max(sample.error, kLeastError * sample.seconds);
}

std::size_t different(const std::vector<ScalingSample>& samples) {
  std::set<double> all;
  for (const ScalingSample& sample : samples) all.insert(sample.p);
  return all.size();
}

/// The equations of a law, which is linear in other coefficients than those of the result.
/// @param contention, coherency  terms of the universal law that are not left out
std::vector<Equation> equations_of(ScalingLaw law, const std::vector<ScalingSample>& samples,
                                   bool contention, bool coherency) {
  std::vector<Equation> equations;
  for (const ScalingSample& sample : samples) {
    const double p = sample.p;
    const double error = error_of(sample);
    switch (law) {
      case ScalingLaw::amdahl:  // T = f T(1) + (1 - f) T(1) / p
        equations.push_back({{1, 1 / p}, sample.seconds, error});
        break;
      case ScalingLaw::gustafson:  // 1 / T = 1 / T(1) - f / T(1) (p - 1) / p
        equations.push_back(
            {{1, -(p - 1) / p}, 1 / sample.seconds, error / (sample.seconds * sample.seconds)});
        break;
      case ScalingLaw::universal: {  // p T = T(1) + s T(1) (p - 1) + k T(1) p (p - 1)
        Equation equation{{1}, p * sample.seconds, p * error};
        if (contention) equation.terms.push_back(p - 1);
        if (coherency) equation.terms.push_back(p * (p - 1));
        equations.push_back(equation);
        break;
      }
    }
  }
  return equations;
}

/// The ratio of two sums of coefficients with its interval (propagation of errors).
/// @param above, below  factors of the coefficients in the sums
FittedValue ratio_of(const LeastSquares& fit, const std::vector<double>& above,
                     const std::vector<double>& below) {
  double numerator = 0;
  double denominator = 0;
  for (std::size_t i = 0; i < fit.values.size(); ++i) {
    numerator += above[i] * fit.values[i];
    denominator += below[i] * fit.values[i];
  }
  FittedValue ratio{numerator / denominator, {}, {}};
  if (fit.degrees_of_freedom == 0) return ratio;
  const auto slope = [&](std::size_t i) {
    return (above[i] - ratio.value * below[i]) / denominator;
  };
  double variance = 0;
  for (std::size_t i = 0; i < fit.values.size(); ++i) {
    for (std::size_t j = 0; j < fit.values.size(); ++j) {
      variance += slope(i) * fit.covariance[i][j] * slope(j);
    }
  }
  const double half = student_t(fit.degrees_of_freedom) * std::sqrt(std::max(0.0, variance));
  ratio.low = ratio.value - half;
  ratio.high = ratio.value + half;
  return ratio;
}

void clip(FittedValue& value, double most) {
  constexpr double kNothing = 1e-9;  // what rounding leaves
  if (std::abs(value.value) < kNothing) value.value = 0;
  value.value = std::clamp(value.value, 0.0, most);
  if (value.low) value.low = std::clamp(*value.low, 0.0, most);
  if (value.high) value.high = std::clamp(*value.high, 0.0, most);
}

/// T(1) of the best fit with these coefficients, weighted by the errors.
double one_of(const ScalingFit& shape, const std::vector<ScalingSample>& samples) {
  ScalingFit unit = shape;
  unit.one_s = 1;
  double above = 0;
  double below = 0;
  for (const ScalingSample& sample : samples) {
    const double weight = 1 / (error_of(sample) * error_of(sample));
    above += weight * unit.at(sample.p) * sample.seconds;
    below += weight * unit.at(sample.p) * unit.at(sample.p);
  }
  return above / below;
}

/// Amdahl's and Gustafson's law, which have a serial fraction.
std::optional<ScalingFit> fit_fraction(ScalingLaw law, const std::vector<ScalingSample>& samples) {
  const LeastSquares solved = least_squares(equations_of(law, samples, false, false));
  if (solved.values.empty()) return std::nullopt;
  ScalingFit fit;
  fit.law = law;
  // Times that grow so much that T(1) would be negative: nothing runs in parallel.
  if (law == ScalingLaw::amdahl && solved.values[0] + solved.values[1] <= 0) {
    fit.serial.value = 1;
    return fit;
  }
  if (law == ScalingLaw::gustafson && solved.values[0] <= 0) return std::nullopt;
  fit.serial = law == ScalingLaw::amdahl ? ratio_of(solved, {1, 0}, {1, 1})
                                         : ratio_of(solved, {0, 1}, {1, 0});
  clip(fit.serial, 1);
  return fit;
}

std::optional<ScalingFit> fit_universal(const std::vector<ScalingSample>& samples) {
  constexpr double kNoLimit = 1e9;
  const LeastSquares both = least_squares(equations_of(ScalingLaw::universal, samples, true, true));
  if (both.values.empty() || both.values[0] <= 0) return std::nullopt;
  ScalingFit fit;
  fit.law = ScalingLaw::universal;
  fit.serial = ratio_of(both, {0, 1, 0}, {1, 0, 0});
  fit.coherency = ratio_of(both, {0, 0, 1}, {1, 0, 0});
  // A negative coefficient is left out, and the other one fitted again.
  const bool without_coherency = fit.coherency->value < 0;
  const bool without_contention = !without_coherency && fit.serial.value < 0;
  if (without_coherency || without_contention) {
    const LeastSquares one = least_squares(
        equations_of(ScalingLaw::universal, samples, !without_contention, !without_coherency));
    if (!one.values.empty() && one.values[0] > 0) {
      const FittedValue again = ratio_of(one, {0, 1}, {1, 0});
      (without_coherency ? fit.serial : *fit.coherency) = again;
    }
  }
  clip(fit.serial, kNoLimit);
  clip(*fit.coherency, kNoLimit);
  return fit;
}

}  // namespace

std::string law_name(ScalingLaw law) {
  switch (law) {
    case ScalingLaw::amdahl:
      return "Amdahl";
    case ScalingLaw::gustafson:
      return "Gustafson";
    case ScalingLaw::universal:
      break;
  }
  return "USL";
}

double ScalingFit::at(double p) const {
  const double f = serial.value;
  switch (law) {
    case ScalingLaw::amdahl:
      return one_s * (f + (1 - f) / p);
    case ScalingLaw::gustafson:
      return one_s * p / (p - f * (p - 1));
    case ScalingLaw::universal:
      break;
  }
  const double k = coherency ? coherency->value : 0;
  return one_s * (1 + f * (p - 1) + k * p * (p - 1)) / p;
}

std::optional<ScalingFit> fit_law(ScalingLaw law, const std::vector<ScalingSample>& samples) {
  const std::size_t coefficients = law == ScalingLaw::universal ? 3 : 2;
  if (different(samples) < coefficients) return std::nullopt;
  std::optional<ScalingFit> fit =
      law == ScalingLaw::universal ? fit_universal(samples) : fit_fraction(law, samples);
  if (!fit) return std::nullopt;
  fit->one_s = one_of(*fit, samples);
  for (const ScalingSample& sample : samples) {
    fit->largest_deviation =
        std::max(fit->largest_deviation, std::abs(fit->at(sample.p) / sample.seconds - 1));
  }
  return fit;
}

std::optional<double> fastest_p(const ScalingFit& fit) {
  if (!fit.coherency || fit.coherency->value <= 0 || fit.serial.value >= 1) return std::nullopt;
  return std::max(1.0, std::sqrt((1 - fit.serial.value) / fit.coherency->value));
}

std::optional<double> half_efficient_p(const ScalingFit& fit) {
  const double f = fit.serial.value;
  const double k = fit.coherency ? fit.coherency->value : 0;
  switch (fit.law) {
    case ScalingLaw::amdahl:  // 1 / (1 + f (p - 1)) = 1/2
      return f > 0 ? std::optional(1 + 1 / f) : std::nullopt;
    case ScalingLaw::gustafson:  // 1 - f (p - 1) / p = 1/2
      return f > 0.5 ? std::optional(f / (f - 0.5)) : std::nullopt;
    case ScalingLaw::universal:
      break;
  }
  if (k <= 0) return f > 0 ? std::optional(1 + 1 / f) : std::nullopt;
  // k p^2 + (f - k) p - (f + 1) = 0
  return (k - f + std::sqrt((f - k) * (f - k) + 4 * k * (f + 1))) / (2 * k);
}

double karp_flatt(double speedup, double p) {
  return (1 / speedup - 1 / p) / (1 - 1 / p);
}

}  // namespace plait::model
