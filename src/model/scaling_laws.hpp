// SPDX-License-Identifier: BSD-3-Clause
// Laws of scalability fitted to measured times: Amdahl's, Gustafson's and the universal scalability
// law, each with intervals.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace plait::model {

/// The time of a program on p cores.
struct ScalingSample {
  double p = 1;        ///< > 0
  double seconds = 0;  ///< > 0
  double error = 0;    ///< standard error of the time; 0: unknown
};

/// A coefficient and its 95 % interval; without one if there are too few samples.
struct FittedValue {
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
};

enum class ScalingLaw {
  amdahl,     ///< T(p) = T(1) (f + (1 - f) / p); Amdahl 1967
  gustafson,  ///< equal work per core: T(p) = T(1) p / (p - f (p - 1)); Gustafson 1988
  universal,  ///< T(p) = T(1) (1 + s (p - 1) + k p (p - 1)) / p; Gunther 1993
};

/// "Amdahl", "Gustafson", "USL".
std::string law_name(ScalingLaw law);

/// A fitted law.
struct ScalingFit {
  ScalingLaw law = ScalingLaw::amdahl;
  double one_s = 0;                      ///< T(1) of the fit
  FittedValue serial;                    ///< f; of the universal law s, contention
  std::optional<FittedValue> coherency;  ///< k of the universal law
  double largest_deviation = 0;          ///< of a sample's time from the fit, relative

  /// The time on p cores.
  [[nodiscard]] double at(double p) const;
};

/// Fits a law; the coefficients are not negative, and f is at most 1.
/// @param samples  for Gustafson's law of equal work per core, otherwise of equal work
/// @return nothing if there are fewer different p than coefficients
std::optional<ScalingFit> fit_law(ScalingLaw law, const std::vector<ScalingSample>& samples);

/// The p with the shortest time, sqrt((1 - s) / k); empty if the time falls for all p.
std::optional<double> fastest_p(const ScalingFit& fit);

/// The p at which the efficiency falls to a half; empty if it never does.
std::optional<double> half_efficient_p(const ScalingFit& fit);

/// The serial fraction that a speed-up on p cores implies (Karp and Flatt 1990, "Measuring parallel
/// processor performance", equation 2). It grows with p where communication or imbalance do.
/// @param p  > 1
double karp_flatt(double speedup, double p);

}  // namespace plait::model
