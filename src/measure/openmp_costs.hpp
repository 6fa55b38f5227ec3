// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of OpenMP constructs with each OpenMP runtime of this system.
#pragma once

#include <string>
#include <vector>

#include "machine/measured.hpp"
#include "run/runtimes.hpp"

namespace plait::measure {

/// What to measure.
struct OpenMpRequest {
  std::vector<run::OmpRuntime> runtimes;
  std::vector<int> pus;         ///< a hardware thread of each core, at least two
  double seconds = 1;           ///< for all runtimes and numbers of threads
  double relative_width = 0.1;  ///< of the interval at which repetition ends
  int starts = 5;               ///< programs that are started for each cost
};

/// The costs, and what could not be measured.
struct OpenMpOutcome {
  std::vector<machine::OpenMpCost> costs;
  std::vector<std::string> warnings;
};

/// The first runtime of each name, as "libgomp" and "libomp".
std::vector<run::OmpRuntime> one_of_each(const std::vector<run::OmpRuntime>& runtimes);

/// Measures each runtime with two threads and with one on each core. Threads are bound to cores;
/// apart from that, the runtimes have their default settings.
OpenMpOutcome measure_openmp(const OpenMpRequest& request);

/// The samples of one run of the probe, by construct.
struct OpenMpSamples {
  struct Series {
    std::vector<double> us;
    int disturbed = 0;
  };
  Series start;
  Series region;
  Series barrier;
  Series task;
};

/// Adds the output of a run of the probe.
/// @return false when a line is missing or cannot be read; then nothing is added
bool add_openmp_output(const std::string& text, OpenMpSamples& samples);

}  // namespace plait::measure
