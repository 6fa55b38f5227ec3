// SPDX-License-Identifier: BSD-3-Clause
// Adds runs to a sweep that were started outside of it, as by a batch system.
#include "sweep/collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "plait/error.hpp"
#include "report/run_file.hpp"
#include "run/run_directory.hpp"
#include "sweep/observe.hpp"
#include "sweep/schedule.hpp"

namespace plait::sweep {
namespace {

namespace fs = std::filesystem;

/// False for a run directory that does not exist, is damaged, or whose run goes on.
bool has_ended(const fs::path& run_dir) {
  try {
    return report::read_run_file(run_dir).state != run::state_name(run::RunState::running);
  } catch (const Error&) {
    return false;
  }
}

bool is_known(const SweepPoint& point, const std::string& folder) {
  return (point.failure && point.failure->folder == folder) ||
         std::ranges::any_of(point.runs, [&](const PointRun& run) { return run.folder == folder; });
}

/// @return true if the run is new
bool collect(Sweep& sweep, SweepPoint& point, const fs::path& folder, const std::string& name) {
  if (is_known(point, name) || !has_ended(folder / name)) return false;
  Observed observed = observe(folder / name, sweep.figure, sweep.limits.time_limit_s);
  sweep.spent_s += observed.run.wall_s;
  if (observed.failure) {
    observed.failure->folder = name;
    point.failure = observed.failure;
  } else {
    observed.run.folder = name;
    point.runs.push_back(observed.run);
  }
  return true;
}

}  // namespace

int collect_runs(Sweep& sweep, const fs::path& folder) {
  int found = 0;
  for (SweepPoint& point : sweep.points) {
    if (!point.point.left_out.empty()) continue;
    for (int repetition = 1; repetition <= sweep.limits.repeat; ++repetition) {
      const std::string name = fmt::format("{}/{}", point.folder, repetition);
      if (collect(sweep, point, folder, name)) ++found;
    }
  }
  sweep.state = rest_of(sweep).points == 0 ? SweepState::finished : SweepState::running;
  return found;
}

}  // namespace plait::sweep
