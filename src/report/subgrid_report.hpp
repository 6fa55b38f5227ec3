// SPDX-License-Identifier: BSD-3-Clause
// Stengel's figure 3.3 (messages of blocks of subdomains against sticks) as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "mapping/subgrid.hpp"
#include "report/terminal.hpp"

namespace plait::report {

/// A sentence and a table with one line per number of cores per node. `surfaces` is not empty.
std::vector<std::string> subgrid_lines(const std::vector<mapping::SubgridSurface>& surfaces,
                                       const TerminalOptions& options);

/// As JSON: schema "plait-map", version 1, with "figure".
nlohmann::json subgrid_to_json(const std::vector<mapping::SubgridSurface>& surfaces);

}  // namespace plait::report
