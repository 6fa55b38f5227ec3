// SPDX-License-Identifier: BSD-3-Clause
// The counters of phases on a terminal.
#pragma once

#include "base/json.hpp"
#include "report/terminal_parts.hpp"

namespace plait::report {

/// A table of the events of the first `rows` phases, and the figures that follow from those of the
/// longest one; empty without counters.
/// @param phases  of an analysis.json
/// @throws nlohmann::json::exception when a field is missing.
Lines phase_counter_lines(const nlohmann::json& phases, std::size_t rows,
                          const TerminalOptions& options);

}  // namespace plait::report
