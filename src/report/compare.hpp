// SPDX-License-Identifier: BSD-3-Clause
// What changed between two runs, or between several runs of each side.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/compare_phases.hpp"
#include "report/profile.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// A figure of the runs of one side; absent when no run has it.
struct Spread {
  double median = 0;
  double low = 0;
  double high = 0;
  bool operator==(const Spread&) const = default;
};

/// Median and range; absent for no values.
std::optional<Spread> spread_of(std::vector<double> values);

struct FigureChange {
  std::string name;
  std::string unit;  ///< "s" or "fraction"
  std::optional<Spread> a;
  std::optional<Spread> b;
};

/// One MPI function: seconds are means over ranks, counts and bytes sums over ranks of the median.
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
  std::vector<nlohmann::json> analyses = {};  ///< of the runs' traces; null: a run without one
};

struct Comparison {
  std::string sentence;
  std::string a_name, b_name;
  std::vector<std::string> a_command, b_command;
  int a_runs = 0;
  int b_runs = 0;
  std::vector<FigureChange> figures;
  std::vector<CallChange> calls;           ///< largest difference in time first
  std::vector<PhaseChange> phases;         ///< empty: a side has no trace
  std::vector<std::string> findings_gone;  ///< of A only: what
  std::vector<std::string> findings_new;   ///< of B only
  std::vector<std::string> unfair;         ///< sentences: what else differs, or spoils a side
  std::vector<std::string> notes;
};

/// Compares two sides of at least one run each.
Comparison compare_runs(const Side& a, const Side& b);

/// As JSON: schema "plait-compare", version 1.
nlohmann::json comparison_to_json(const Comparison& comparison);

/// The comparison on a terminal, at most 24 lines of 80 columns; phases stand below them.
std::vector<std::string> comparison_lines(const Comparison& comparison,
                                          const TerminalOptions& options);

}  // namespace plait::report
