// SPDX-License-Identifier: BSD-3-Clause
// A whole run: initial state, steps, measures, checkpoints, output.
#include "simulation.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "checkpoint.hpp"
#include "field_output.hpp"
#include "thread_memory.hpp"

namespace plait::boussinesq {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Prints how far a run is, at most once per second.
class Progress {
public:
  Progress(bool on, const Options& options, const Flow& flow)
      : on_(on), options_(options), first_step_(flow.steps()), first_time_(flow.time()) {}

  void show(const Flow& flow) {
    if (!on_ || seconds_since(last_) < 1) return;
    last_ = Clock::now();
    const double by_steps = static_cast<double>(flow.steps() - first_step_) /
                            static_cast<double>(options_.steps - first_step_);
    const double part =
        std::max(by_steps, (flow.time() - first_time_) / (options_.until - first_time_));
    std::fprintf(stderr, "step %lld, time %.4g, %.0f %%, about %.0f s left\n",
                 static_cast<long long>(flow.steps()), flow.time(), 100 * part,
                 seconds_since(start_) * (1 / part - 1));
  }

private:
  bool on_;
  const Options& options_;
  std::int64_t first_step_;  ///< of this run, which may be a restart
  double first_time_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace

double Result::seconds_per_step() const {
  return steps > 0 ? seconds / static_cast<double>(steps) : 0;
}

double Result::bytes_per_point() const {
  return static_cast<double>(field_bytes + plane_bytes + message_bytes) /
         static_cast<double>(options.flow.grid.all_points());
}

void check_files(const Options& options) {
  const auto check = [](const std::string& option, const std::string& path) {
    if (path.empty()) return;
    const bool existed = ::access(path.c_str(), F_OK) == 0;
    if (!std::ofstream(path, std::ios::app)) {
      throw Error(option + " " + path, "cannot be written", "give a file in a folder that exists");
    }
    if (!existed) ::unlink(path.c_str());
  };
  check("--json", options.json);
  check("--checkpoint", options.checkpoint);
  check("--output", options.output);
  check("--picture", options.picture);
  check_field_format(options.output);
}

double needed_bytes(const Options& options) {
  const Grid& grid = options.flow.grid;
  const bool model = options.flow.subgrid != Subgrid::none;
  const double modes = static_cast<double>(grid.modes_x()) * grid.modes_y() * grid.planes();
  // State, tendency, derived fields or products, planes of points, and messages sent and received.
  return modes * sizeof(Complex) * (model ? 8 + 12 + 12 + 24 : 8 + 6 + 7 + 14);
}

void set_initial(Flow& flow, const Options& options) {
  const InitialOptions& initial = options.initial;
  if (initial.turbulence > 0) {
    add_turbulence(flow, initial.turbulence, initial.turbulence_peak, initial.seed);
  }
  if (initial.taylor_green) add_taylor_green(flow);
  if (!initial.pairs.empty()) add_pairs(flow, initial.pairs);
  if (initial.wave_amplitude > 0) {
    add_internal_wave(flow, initial.wave_amplitude, initial.wave_number);
  }
  if (!initial.current.empty()) add_current(flow, initial.current);
}

Result simulate(Flow& flow, const Options& options,
                const std::function<void(const Sample&)>& print) {
  Result result;
  result.options = options;
  result.ranks = flow.processes().size();
  const bool first = flow.processes().rank() == 0;
  const auto sample = [&] {
    Sample now{flow.steps(),
               flow.time(),
               measure(flow),
               {result.seconds, flow.transform_seconds(), flow.column_seconds()}};
    if (options.vortices) now.vortices = vortices(flow);
    if (options.spectrum) now.spectrum = spectrum(flow);
    if (first && print) print(now);
    result.samples.push_back(now);
  };
  const auto ended = [&] {
    return flow.steps() >= options.steps || flow.time() >= options.until * (1 - 1e-12);
  };
  if (options.restart.empty()) {
    set_initial(flow, options);
  } else {
    read_checkpoint(flow, options.restart);
  }
  sample();
  const std::int64_t first_step = flow.steps();
  Progress progress(first && print && (options.progress || ::isatty(2) == 1), options, flow);
  std::int64_t saved = -1;
  while (!ended()) {
    const auto start = Clock::now();
    flow.advance(options.until);
    const double seconds = seconds_since(start);
    result.seconds += seconds;
    if (result.least_seconds == 0 || seconds < result.least_seconds) {
      result.least_seconds = seconds;
    }
    progress.show(flow);
    if (options.every > 0 && flow.steps() % options.every == 0 && !ended()) sample();
    if (options.checkpoint_every > 0 && flow.steps() % options.checkpoint_every == 0) {
      write_checkpoint(flow, options.checkpoint);
      saved = flow.steps();
    }
  }
  result.steps = flow.steps() - first_step;
  if (result.steps > 0) sample();
  if (!options.checkpoint.empty() && saved != flow.steps()) {
    write_checkpoint(flow, options.checkpoint);
  }
  result.spectrum = result.samples.back().spectrum;
  if (!options.output.empty()) write_fields(flow, options.output);
  if (!options.picture.empty()) write_picture(flow, options.slice, options.picture);
  result.checksum = checksum(flow);
  result.last_step = flow.last_step();
  result.smoothed_energy = flow.smoothed_energy();
  result.transform_seconds = flow.transform_seconds();
  result.column_seconds = flow.column_seconds();
  result.wait_seconds = flow.wait_seconds();
  result.field_bytes = flow.array_bytes();
  result.thread_bytes = thread_memory_total;
  return result;
}

}  // namespace plait::boussinesq
