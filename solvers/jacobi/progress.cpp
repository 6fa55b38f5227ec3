// SPDX-License-Identifier: BSD-3-Clause
// Lines on stderr that tell how far a long run is.
#include "progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

namespace plait::jacobi {
namespace {

/// "1 h 02 min", "3 min 20 s", "12 s".
std::string duration_text(double seconds) {
  const long long whole = std::llround(seconds);
  if (whole >= 3600) {
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
  }
  if (whole >= 60) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole) + " s";
}

}  // namespace

Progress::Progress(const CartesianGrid& grid, const Options& options, int first_step)
    : options_(options), first_step_(first_step) {
  const Int3& n = grid.cells();
  cells_ = static_cast<double>(n[0]) * n[1] * n[2];
  shown_ = grid.rank() == 0 && (options.progress || ::isatty(STDERR_FILENO) == 1);
}

void Progress::show(int steps, double last_change) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::seconds(5);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double steps_per_s = (steps - first_step_) / seconds;
  std::string line = "plait-jacobi: step " + std::to_string(steps);
  const bool endless = options_.steps == std::numeric_limits<int>::max();
  if (!endless) line += " of " + std::to_string(options_.steps);
  char rate[64];
  std::snprintf(rate, sizeof rate, ", %.1f MLUP/s", steps_per_s * cells_ / 1e6);
  line += rate;
  if (last_change >= 0.0) {
    std::snprintf(rate, sizeof rate, ", largest change %.2e", last_change);
    line += rate;
    if (options_.until > 0.0) {
      std::snprintf(rate, sizeof rate, " (until %.0e)", options_.until);
      line += rate;
    }
  }
  line += ", " + duration_text(seconds);
  if (!endless) {
    line += ", " + duration_text((options_.steps - steps) / steps_per_s) + " to go at most";
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace plait::jacobi
