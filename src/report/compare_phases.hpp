// SPDX-License-Identifier: BSD-3-Clause
// Compares two traces phase by phase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// A value with its interval.
struct Interval {
  double median = 0, low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

/// A phase of one side: its pieces in a run added up, over all runs of the side.
struct PhaseFigures {
  std::string name;
  int ranks = 0;
  std::uint64_t repetitions = 0;
  double seconds = 0;  ///< of all repetitions together
  /// Time of one repetition. One run: median over its repetitions with its 95 % interval. Several
  /// runs: median of the runs' medians, with the 95 % interval from 6 runs on, else the range.
  Interval each;
  std::optional<double> parallel, load_balance, serialization, transfer;
  /// Per rank and repetition.
  double calls = 0, mpi_s = 0;
  std::string top_call;  ///< function with most time; empty: none
  double top_call_s = 0;
};

/// A phase of both sides, or of one.
struct PhaseChange {
  std::optional<PhaseFigures> a, b;  ///< at least one is set
  std::string aligned_by;            ///< "calls": the same call sites; "order": the same functions
  /// Time of a repetition, B / A; the interval follows from the ends of both intervals.
  std::optional<Interval> ratio;
};

/// Matches the phases of both sides: those with the same call sites, whatever the number of ranks,
/// then loops with the same functions, in order. Returned in the order of A, then those only in B.
/// @param a, b  analysis.json of each side's runs; null for a run without a trace
std::vector<PhaseChange> compare_phases(const std::vector<nlohmann::json>& a,
                                        const std::vector<nlohmann::json>& b);

/// As the "phases" of schema "plait-compare", version 1.
nlohmann::json phases_to_json(const std::vector<PhaseChange>& phases);

/// A table of at most 80 columns; empty without phases.
std::vector<std::string> phase_lines(const std::vector<PhaseChange>& phases,
                                     const TerminalOptions& options);

}  // namespace plait::report
