// SPDX-License-Identifier: BSD-3-Clause
// Finds phases of a run from the repeating pattern of its calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/pop.hpp"

namespace plait::analysis {

/// Calls of one function by all ranks within a phase.
struct PhaseCall {
  std::uint32_t function = trace::kNone;
  std::uint64_t count = 0;
  double seconds = 0;
};

struct Phase {
  std::string name;  ///< "before", "iterations 1", "between", "after"; without a loop "whole run"
  double begin_s = 0, end_s = 0;
  std::uint32_t repetitions = 1;  ///< of the pattern within the phase
  double mean_s = 0, cv = 0;      ///< of one repetition: mean, coefficient of variation
  double median_s = 0;            ///< of one repetition
  double low_s = 0,
         high_s = 0;  ///< 95 % interval of the median; both equal to it: too few repetitions
  int ranks = 0;      ///< number of ranks with calls in the phase
  /// Hash of the functions and call sites of all ranks in the pattern; equal in other runs of the
  /// program with any number of ranks of which each has the same neighbours as another.
  std::uint64_t signature = 0;
  std::vector<std::uint32_t> pattern;  ///< functions of one repetition, at most 64
  std::vector<PhaseCall> calls;        ///< longest first
  PopSet efficiencies;                 ///< from wait states
};

/// Collective. The phases in order of time; they cover the run. Loops are searched in the calls
/// (function, site, peer) of one rank, and count if other ranks call from the same sites at that
/// time. If there are none, a regular collective call cuts the run
/// (docs/explanation/trace-analysis.md). Linear in the events.
/// @param threads  that work at most; 0: as many as there are usable CPUs. The result is the same.
/// @param processes  that share the work and all get the result; null: this one alone
std::vector<Phase> find_phases(const trace::Trace& trace, const Lanes& lanes, const Waits& waits,
                               unsigned threads = 0, Processes* processes = nullptr);

}  // namespace plait::analysis
