// SPDX-License-Identifier: BSD-3-Clause
// Predicts points of a sweep that have not run from points that have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/scaling_laws.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

/// A prediction of the figure of merit, in its unit.
struct Forecast {
  double value = 0, low = 0, high = 0;
  double least_cost = 0;  ///< cost_of() of its better end
};

/// The shortest wall time of a point whose threads share CPUs.
struct Bound {
  double value = 0;  ///< s
  double cpus = 0;   ///< that the threads share
};

/// Predictions by the universal scalability law, fitted to the medians of points that differ from
/// the predicted one only in the ranks, or only in the threads, or in those of one part of the job:
/// at least three, some with fewer
/// cores and some with more. The interval is 15 % on either side, or twice the largest deviation of
/// the fit if that is more. There are none where the work grows with the cores.
class Forecasts {
public:
  explicit Forecasts(const Sweep& sweep);

  /// The prediction of a point; of two lines of points the one that is more favourable.
  [[nodiscard]] std::optional<Forecast> of(const SweepPoint& point) const;

  /// The bound of a point that needs more cores than there are CPUs, which a run with as many ranks
  /// and as many threads, or more, has shown. It is the useful computation of the point with fewer
  /// ranks or fewer threads that has most cores, without any waiting and on all CPUs; of two the
  /// more favourable. There are none without profiles, nor where the work grows with the cores, and
  /// none of other figures of merit than the wall time.
  [[nodiscard]] std::optional<Bound> bound_of(const SweepPoint& point) const;

  /// True if the cores of a point share CPUs, as far as runs have shown.
  [[nodiscard]] bool shares_cpus(const SweepPoint& point) const;

private:
  /// Points in a row.
  struct Line {
    std::vector<model::ScalingSample> samples;
    std::optional<model::ScalingFit> fit;
    double base_cores = 0;   ///< most cores of a point whose cores share no CPUs; 0: there is none
    double useful_cost = 0;  ///< of that point, for its useful computation; 0: not known
  };

  void add_base(const SweepPoint& point, double cost, Line& line) const;

  const Sweep& sweep_;
  std::map<std::string, Line> lines_;  ///< by the values that they have in common
  double cpus_ = 0;                    ///< most that a run had
};

/// True if points of a sweep can be predicted from others: a line along the ranks or the threads
/// has enough points, and the work does not grow with the cores.
bool can_forecast(const Sweep& sweep);

/// How far a point is from the nearest one of its series that has run, in doublings of ranks and
/// threads; infinite if none has.
double distance_from_runs(const Sweep& sweep, const SweepPoint& point);

}  // namespace plait::sweep
