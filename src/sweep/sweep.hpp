// SPDX-License-Identifier: BSD-3-Clause
// A sweep: its grid, what is compared, its limits, and the runs of each point.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "run/outcome.hpp"
#include "sweep/grid.hpp"

namespace plait::sweep {

enum class FigureKind {
  wall,    ///< time of the whole command
  metric,  ///< number in the program's output
  region,  ///< time in a region that the program marks
};

/// The figure of merit.
struct Figure {
  FigureKind kind = FigureKind::wall;
  std::string text;  ///< regular expression, or name of the region
  std::string unit;  ///< "s", or what the user calls it; may be empty
  bool larger_is_better = false;

  /// True if it is printed as a time.
  [[nodiscard]] bool is_time() const { return unit == "s"; }
};

/// Most runs of a point.
inline constexpr int kMostRepetitions = 1000;

/// What ends the repetitions.
struct Limits {
  int repeat = 10;                     ///< most runs of each point
  double precision = 0.05;             ///< width of the interval relative to the median
  std::optional<double> budget_s;      ///< of all runs
  std::optional<double> time_limit_s;  ///< of each run; empty: from the runs before
};

/// POP efficiencies of a run; empty: not measured.
struct Factors {
  std::optional<double> parallel, load_balance, communication, threads, cpu;
};

/// A run of a point.
struct PointRun {
  std::string folder;  ///< below the sweep's folder: "runs/1-ranks2/1"
  double value = 0;    ///< the figure of merit
  double wall_s = 0;
  double other_cpus = 0;  ///< see run::OtherPrograms
  double cpus = 0;        ///< on which its ranks could run, all nodes; 0: not known
  Factors factors;
  std::optional<double> node_bytes;  ///< most memory of a node
};

/// Why a point is not run again.
struct PointFailure {
  run::JobOutcome outcome;
  std::string problem;     ///< one sentence
  std::string folder;      ///< of the run
  std::string quarantine;  ///< id of its settings' entry; empty: none
};

struct SweepPoint {
  Point point;
  std::string folder;  ///< "runs/1-ranks2-threads4"
  std::vector<PointRun> runs;
  std::optional<PointFailure> failure;

  /// True if it is not run any more, or was never to be.
  [[nodiscard]] bool is_over() const { return !point.left_out.empty() || failure.has_value(); }
};

enum class SweepState { running, finished, budget, interrupted };

/// "running", "finished", "budget", "interrupted".
std::string state_name(SweepState state);

struct Sweep {
  Grid grid;
  Figure figure;
  Limits limits;
  std::string mpi;      ///< as run::RunRequest takes it
  bool smart = false;   ///< points that are clearly worse than the best are not repeated
  std::string created;  ///< UTC, ISO 8601
  std::string host;
  int host_cpus = 0;  ///< on which the sweep may run
  SweepState state = SweepState::running;
  double spent_s = 0;  ///< time of all runs, also of those that failed
  std::vector<SweepPoint> points;
};

/// The folder of a point's runs: "runs/1-ranks2-threads4".
/// @param number  of the point, from 1
std::string point_folder(std::size_t number, const std::string& name);

/// A sweep of which nothing has run.
/// @param points  as points_of() gives them, with their ranks
Sweep new_sweep(const Grid& grid, const std::vector<Point>& points);

/// True if other programs used so much of the CPUs during a run that its time may be wrong.
bool is_disturbed(const Sweep& sweep, const PointRun& run);

/// The time of a unit of work, up to a factor: lower is better. Of a rate its inverse; where the
/// work grows with the cores, the time by the cores.
double cost_of(const Sweep& sweep, const SweepPoint& point, double value);

/// The values of a point's runs.
std::vector<double> values_of(const SweepPoint& point);

/// The wall times of a point's runs.
std::vector<double> walls_of(const SweepPoint& point);

}  // namespace plait::sweep
