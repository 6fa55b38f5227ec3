// SPDX-License-Identifier: BSD-3-Clause
// Phases of a run, found from the repeating pattern of its calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/pop.hpp"

namespace plait::analysis {

struct Phase {
  std::string name;  ///< "before", "iterations 1", ...
  double begin_s = 0, end_s = 0;
  std::uint32_t repetitions = 1;       ///< of the pattern within the phase
  double mean_s = 0, cv = 0;           ///< of one repetition: mean, coefficient of variation
  std::uint64_t signature = 0;         ///< hash of the pattern: equal patterns are equal phases
  std::vector<std::uint32_t> pattern;  ///< functions of one repetition, at most 64
  PopSet efficiencies;                 ///< by wait states
};

/// In order of time; they cover the run.
std::vector<Phase> find_phases(const trace::Trace& trace, const Lanes& lanes, const Waits& waits);

}  // namespace plait::analysis
