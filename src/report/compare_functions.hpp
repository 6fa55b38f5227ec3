// SPDX-License-Identifier: BSD-3-Clause
// Functions that became slower or faster between two sampled sides.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/terminal.hpp"
#include "samples/call_tree.hpp"

namespace plait::report {

/// Time in a function itself, s: mean over ranks, summed over their threads, and over the runs. The
/// interval is the 95 % interval of the function's share of the samples (Wilson's score), times all
/// samples' time.
struct FunctionTime {
  double value = 0, low = 0, high = 0;
};

/// One function of both sides.
struct FunctionChange {
  std::string name;
  std::string file;  ///< empty: unknown
  int line = 0;
  std::optional<FunctionTime> a, b;  ///< empty: no sample in it
  std::string verdict;  ///< "slower", "faster", "new", "gone"; "undecided": the intervals overlap
};

/// Compares the functions of two sides, of which each tree is of one run: those that differ first,
/// by the size of the difference. Left out are functions below 0.1 % of the time of both sides.
/// @returns nothing when a side has no samples
std::vector<FunctionChange> compare_functions(const std::vector<samples::CallTree>& a,
                                              const std::vector<samples::CallTree>& b);

/// For "functions" of plait-compare.
nlohmann::json functions_to_json(const std::vector<FunctionChange>& changes);

/// A table of at most eight functions: those that differ, and the largest undecided one if none
/// does; empty without functions.
std::vector<std::string> function_change_lines(const std::vector<FunctionChange>& changes,
                                               const TerminalOptions& options);

}  // namespace plait::report
