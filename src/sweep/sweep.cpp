// SPDX-License-Identifier: BSD-3-Clause
// A sweep: its grid, what is compared, its limits, and the runs of each point.
#include "sweep/sweep.hpp"

#include <fmt/format.h>

#include <cctype>

namespace plait::sweep {
namespace {

template <class Get>
std::vector<double> collected(const SweepPoint& point, Get get) {
  std::vector<double> values;
  for (const PointRun& run : point.runs) values.push_back(get(run));
  return values;
}

}  // namespace

std::string state_name(SweepState state) {
  switch (state) {
    case SweepState::running:
      return "running";
    case SweepState::finished:
      return "finished";
    case SweepState::budget:
      return "budget";
    case SweepState::interrupted:
      break;
  }
  return "interrupted";
}

std::string point_folder(std::size_t number, const std::string& name) {
  constexpr std::size_t kLongest = 60;
  // Unique by its number, and without characters that a shell would expand.
  std::string text;
  for (const char letter : name.substr(0, kLongest)) {
    if (letter == '=') continue;
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' ||
                       letter == '_' || letter == '+';
    text += plain ? letter : '-';
  }
  return fmt::format("runs/{}-{}", number, text.empty() ? "point" : text);
}

Sweep new_sweep(const Grid& grid, const std::vector<Point>& points) {
  Sweep sweep;
  sweep.grid = grid;
  for (const Point& point : points) {
    sweep.points.push_back({point, point_folder(sweep.points.size() + 1, point.name), {}, {}});
  }
  return sweep;
}

bool is_disturbed(const Sweep& sweep, const PointRun& run) {
  constexpr double kMuch = 0.1;  // of the CPUs, as for plait apply
  return run.other_cpus > kMuch * sweep.host_cpus;
}

double cost_of(const Sweep& sweep, const SweepPoint& point, double value) {
  if (sweep.figure.larger_is_better) return 1 / value;
  return is_weak(sweep.grid) ? value / point.point.cores() : value;
}

std::vector<double> values_of(const SweepPoint& point) {
  return collected(point, [](const PointRun& run) { return run.value; });
}

std::vector<double> walls_of(const SweepPoint& point) {
  return collected(point, [](const PointRun& run) { return run.wall_s; });
}

}  // namespace plait::sweep
