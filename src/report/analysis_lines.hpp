// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace on a terminal, below the report: lines of at most 80 columns.
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/terminal.hpp"

namespace plait::report {

/// Verdict, efficiencies, waits, causes, critical path, imbalance, phases, patterns and notes of an
/// analysis.json; what is empty is left out.
std::vector<std::string> analysis_lines(const nlohmann::json& analysis,
                                        const TerminalOptions& options);

/// Prints them.
void print_analysis(const nlohmann::json& analysis, std::FILE* stream,
                    const TerminalOptions& options);

}  // namespace plait::report
