// SPDX-License-Identifier: BSD-3-Clause
// Instrumented functions of a job: read from its ranks' files, named, and summed.
#pragma once

#include <string>
#include <vector>

#include "report/profile.hpp"
#include "report/terminal.hpp"
#include "trace/function_file.hpp"
#include "trace/symbolize.hpp"

namespace plait::report {

/// The functions that one rank recorded.
struct RankFunctions {
  int rank = 0;
  trace::FunctionFile file;
};

/// Reads the function files of the ranks; empty if functions were not asked for.
/// @param notes  gets a sentence for a file that cannot be read, for one that was full, and if no
///               function was recorded
std::vector<RankFunctions> read_functions(const std::vector<const trace::RankRecord*>& ranks,
                                          std::vector<std::string>& notes);

/// The rows of the profile, the one with most exclusive time first. Functions with equal names and
/// places are one, such as copies that the compiler made.
/// @param symbolizer  has resolved the functions' addresses
std::vector<FunctionRow> function_rows(const std::vector<RankFunctions>& ranks,
                                       const trace::Symbolizer& symbolizer);

/// A table of the first ten functions, and one sentence about those that were switched off; empty
/// without functions. Lines have at most 80 columns.
std::vector<std::string> function_lines(const std::vector<FunctionRow>& functions,
                                        const TerminalOptions& options);

}  // namespace plait::report
