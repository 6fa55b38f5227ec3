// SPDX-License-Identifier: BSD-3-Clause
// A whole run: initial state, steps, measures, checkpoints, output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measures.hpp"
#include "options.hpp"

namespace plait::boussinesq {

/// Seconds of the steps so far, without measures and files, and of their parts, on this process. In
/// the paper's layouts, the parts are not measured: 0.
struct Times {
  double steps = 0, transforms = 0, columns = 0;
};

/// Measures at one time.
struct Sample {
  std::int64_t step = 0;
  double time = 0;
  Measures measures;
  Times seconds;
  std::optional<std::array<Vortex, 2>> vortices{};
  std::vector<double> spectrum{};  ///< empty: not wanted
};

/// Least seconds of the parts of a step, each alone.
struct StepParts {
  double transforms = 0, transposes = 0;
  double passes = 0;  ///< 60, through memory
  double planes = 0;  ///< transforms with products: what transposes travel beside
  [[nodiscard]] double bound() const { return transforms + transposes + passes; }
};

struct Result {
  Options options;
  int ranks = 1;
  std::int64_t steps = 0;                            ///< of this run
  double seconds = 0;                                ///< of all steps, without measures and files
  double least_seconds = 0;                          ///< of a step
  double transform_seconds = 0, column_seconds = 0;  ///< parts of `seconds`, as in Times
  double wait_seconds = 0;                           ///< for messages, in `transform_seconds`
  double last_step = 0;
  double smoothed_energy = 0;  ///< removed by smoothing
  std::vector<Sample> samples;
  std::vector<double> spectrum;
  std::uint64_t checksum = 0;
  std::optional<bool> equal;       ///< to the run on one rank
  std::optional<StepParts> parts;  ///< with --bound

  // Of the ranks; filled by their owner.
  std::string schedule, transport, explanation;
  std::int64_t sent_bytes = 0, cross_node_bytes = 0;  ///< of a step, of all ranks
  /// Of all ranks: fields, planes of points, messages, work memory of threads.
  std::int64_t field_bytes = 0, plane_bytes = 0, message_bytes = 0, thread_bytes = 0;
  /// Of the rank that has most: resident memory before the fields of the process's first run, and
  /// the peak.
  std::int64_t start_bytes = 0, resident_bytes = 0;

  [[nodiscard]] double seconds_per_step() const;
  [[nodiscard]] double bytes_per_point() const;
};

/// Throws if a file that the options name cannot be written. Call it on one process. Local.
void check_files(const Options& options);

/// Bytes of the fields and planes of all ranks, about.
double needed_bytes(const Options& options);

/// Sets the initial state of a flow.
void set_initial(Flow& flow, const Options& options);

/// Runs a flow to its end.
/// @param print  for lines of measures; process 0 calls it. May be empty
Result simulate(Flow& flow, const Options& options,
                const std::function<void(const Sample&)>& print);

}  // namespace plait::boussinesq
