// SPDX-License-Identifier: BSD-3-Clause
// Two traces phase by phase: the same phases of both sides beside each other.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/terminal.hpp"

namespace plait::report {

/// A time with its interval.
struct Interval {
  double median = 0, low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

/// What a phase is on one side: of its pieces in a run together, and of all runs of the side.
struct PhaseFigures {
  std::string name;
  int ranks = 0;
  std::uint64_t repetitions = 0;
  double seconds = 0;  ///< in all repetitions
  /// One repetition. Of one run: 95 % interval of the median over its repetitions. Of several runs:
  /// of the runs' medians; their range below 6 runs, which do not give 95 %.
  Interval each;
  std::optional<double> parallel, load_balance, serialization, transfer;
  /// A rank in one repetition: calls, and time in MPI.
  double calls = 0, mpi_s = 0;
  std::string dearest;  ///< function with most time; empty: none
  double dearest_s = 0;
};

struct PhaseChange {
  std::optional<PhaseFigures> a, b;  ///< at least one
  std::string aligned_by;            ///< "calls": the same call sites; "order": the same functions
  /// Of a repetition, B by A; interval from the ends of both.
  std::optional<Interval> ratio;
};

/// Aligns the phases of both sides: those with the same call sites, whatever the numbers of ranks;
/// of the others those with the same functions, in order. In order of A, then what only B has.
/// @param a, b  analysis.json of each side's runs; those without a trace are null
std::vector<PhaseChange> compare_phases(const std::vector<nlohmann::json>& a,
                                        const std::vector<nlohmann::json>& b);

nlohmann::json phases_to_json(const std::vector<PhaseChange>& phases);

/// A table of at most 80 columns; empty without phases.
std::vector<std::string> phase_lines(const std::vector<PhaseChange>& phases,
                                     const TerminalOptions& options);

}  // namespace plait::report
