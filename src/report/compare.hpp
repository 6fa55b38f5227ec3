// SPDX-License-Identifier: BSD-3-Clause
// Compares two runs, or several runs of each side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/compare_functions.hpp"
#include "report/compare_phases.hpp"
#include "report/profile.hpp"

namespace plait::report {

/// Median and range of a figure over the runs of one side.
struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
  bool operator==(const Spread&) const = default;
};

/// Median and range of the values; nothing without values.
std::optional<Spread> spread_of(std::vector<double> values);

/// One figure of both sides; a side is empty when no run has the figure.
struct FigureChange {
  std::string name;
  std::string unit;  ///< "s" or "fraction"
  std::optional<Spread> a;
  std::optional<Spread> b;
};

/// One MPI function, medians over the runs: seconds are means over ranks, counts and bytes sums.
struct CallChange {
  std::string name;
  double a_s = 0;
  double b_s = 0;
  std::uint64_t a_count = 0;
  std::uint64_t b_count = 0;
  std::uint64_t a_bytes = 0;
  std::uint64_t b_bytes = 0;
};

/// One side of a comparison.
struct Side {
  std::string name;  ///< as the user gave it: a run directory, or "3 runs"
  std::vector<Profile> runs;
  std::vector<nlohmann::json> analyses = {};    ///< of each run's trace; null: no trace
  std::vector<samples::CallTree> samples = {};  ///< of the runs that were sampled
  /// The program of the first run and its arguments, without launcher; empty: unknown.
  std::vector<std::string> program = {};
};

/// The changes from A to B.
struct Comparison {
  std::string sentence;  ///< the difference in wall time and its largest cause
  std::string a_name, b_name;
  std::vector<std::string> a_command, b_command;
  int a_runs = 0;
  int b_runs = 0;
  std::vector<FigureChange> figures;
  std::vector<CallChange> calls;           ///< largest difference in time first
  std::vector<PhaseChange> phases;         ///< empty when a side has no trace
  std::vector<FunctionChange> functions;   ///< empty when a side was not sampled
  std::vector<std::string> findings_gone;  ///< titles of those only in A
  std::vector<std::string> findings_new;   ///< titles of those only in B
  std::vector<std::string> unfair;         ///< other differences, and failed or incomplete runs
  std::vector<std::string> notes;
};

/// Compares two sides with at least one run each.
Comparison compare_runs(const Side& a, const Side& b);

}  // namespace plait::report
