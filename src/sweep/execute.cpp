// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of a sweep in turn, and keeps its state in a file after each run.
#include "sweep/execute.hpp"

#include <fmt/format.h>

#include <utility>

#include "plait/error.hpp"
#include "run/other_programs.hpp"
#include "run/timed_run.hpp"
#include "sweep/observe.hpp"
#include "sweep/sweep_file.hpp"

namespace plait::sweep {
namespace {

namespace fs = std::filesystem;

class Execution {
public:
  Execution(Sweep& sweep, fs::path folder, const Hooks& hooks)
      : sweep_(sweep), folder_(std::move(folder)), hooks_(hooks) {}

  std::optional<int> run() {
    sweep_.state = SweepState::running;
    save();
    for (;;) {
      const std::optional<NextRun> next = next_run(sweep_);
      if (!next) break;
      if (hooks_.before) hooks_.before(sweep_, *next);
      const std::optional<int> signal = run_one(*next);
      if (signal) return end(SweepState::interrupted, signal);
      if (budget_ended_) break;
      save();
      if (hooks_.after) hooks_.after(sweep_, *next);
    }
    return end(rest_of(sweep_).points == 0 ? SweepState::finished : SweepState::budget, {});
  }

private:
  void save() const { save_sweep(folder_, sweep_); }

  std::optional<int> end(SweepState state, std::optional<int> signal) {
    sweep_.state = state;
    save();
    return signal;
  }

  /// @return the signal that interrupted the run
  std::optional<int> run_one(const NextRun& next) {
    SweepPoint& point = sweep_.points[next.point];
    const std::string name = fmt::format("{}/{}", point.folder, next.repetition);
    const fs::path directory = folder_ / name;
    // Left by a sweep that was ended during this run.
    std::error_code none;
    fs::remove_all(directory, none);
    run::RunRequest request;
    request.command = point.point.command;
    request.output = directory;
    request.mpi = sweep_.mpi;
    request.time_limit_s = next.limit_s;
    const run::OtherPrograms others;
    run::RunResult result;
    try {
      result = run::timed_run(request);
    } catch (const Error& error) {
      // A launcher or program that only this point needs is missing, say.
      point.failure = PointFailure{{run::Outcome::failed, -1, {}, {}, {}}, error.what(), {}, {}};
      return std::nullopt;
    }
    const double other_cpus = others.cpus();
    if (result.interrupted_by) {
      fs::remove_all(directory, none);
      return result.interrupted_by;
    }
    Observed observed = observe(directory, sweep_.figure, next.limit_s);
    sweep_.spent_s += observed.run.wall_s;
    if (next.limited_by_budget && result.timed_out) {
      fs::remove_all(directory, none);
      budget_ended_ = true;
      return std::nullopt;
    }
    if (observed.failure) {
      observed.failure->folder = name;
      point.failure = observed.failure;
      return std::nullopt;
    }
    observed.run.folder = name;
    observed.run.other_cpus = other_cpus;
    point.runs.push_back(observed.run);
    return std::nullopt;
  }

  Sweep& sweep_;
  fs::path folder_;
  const Hooks& hooks_;
  bool budget_ended_ = false;
};

}  // namespace

std::optional<int> execute(Sweep& sweep, const fs::path& folder, const Hooks& hooks) {
  return Execution(sweep, folder, hooks).run();
}

}  // namespace plait::sweep
