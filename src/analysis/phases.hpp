// SPDX-License-Identifier: BSD-3-Clause
// Phases of a run, found from the repeating pattern of its calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/pop.hpp"

namespace plait::analysis {

/// Calls of one function within a phase, of all ranks.
struct PhaseCall {
  std::uint32_t function = trace::kNone;
  std::uint64_t count = 0;
  double seconds = 0;
};

struct Phase {
  std::string name;  ///< "before", "iterations 1", "between", "after"; "whole run": no loop
  double begin_s = 0, end_s = 0;
  std::uint32_t repetitions = 1;  ///< of the pattern within the phase
  double mean_s = 0, cv = 0;      ///< of one repetition: mean, coefficient of variation
  double median_s = 0;            ///< of one repetition
  double low_s = 0, high_s = 0;   ///< 95 % interval of the median (both it: too few repetitions)
  int ranks = 0;                  ///< with calls at that time
  /// Hash of the functions and call sites of the pattern, the same in other runs of the program,
  /// whatever its number of ranks: equal patterns are equal phases.
  std::uint64_t signature = 0;
  std::vector<std::uint32_t> pattern;  ///< functions of one repetition, at most 64
  std::vector<PhaseCall> calls;        ///< dearest first
  PopSet efficiencies;                 ///< by wait states
};

/// In order of time; they cover the run. Loops are looked for in the calls (function, site, peer)
/// of one rank, and stay when the other ranks make calls from the same sites meanwhile; where that
/// finds nothing, what a regular collective call cuts the run into counts (docs/analysis.md).
/// Linear in the events.
std::vector<Phase> find_phases(const trace::Trace& trace, const Lanes& lanes, const Waits& waits);

}  // namespace plait::analysis
