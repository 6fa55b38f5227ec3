// SPDX-License-Identifier: BSD-3-Clause
// A comparison of runs as JSON and on the terminal.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "report/compare.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// As JSON: schema "plait-compare", version 1.
nlohmann::json comparison_to_json(const Comparison& comparison);

/// At most 24 lines of 80 columns, with the phases below them.
std::vector<std::string> comparison_lines(const Comparison& comparison,
                                          const TerminalOptions& options);

}  // namespace plait::report
