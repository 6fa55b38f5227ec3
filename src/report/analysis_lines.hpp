// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a trace on the terminal, below the report.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// Verdict, efficiencies, waits, causes, critical path, imbalance, phases, patterns and notes of an
/// analysis.json; omits what is empty. Without colour no line is wider than 80 columns.
/// @throws nlohmann::json::exception when a field is missing.
std::vector<std::string> analysis_lines(const nlohmann::json& analysis,
                                        const TerminalOptions& options);

/// Prints an empty line, then the lines.
void print_analysis(const nlohmann::json& analysis, std::FILE* stream,
                    const TerminalOptions& options);

}  // namespace plait::report
