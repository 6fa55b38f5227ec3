// SPDX-License-Identifier: BSD-3-Clause
// The result of a sweep as text: the point to use, tables, fitted laws, failures, the next command.
#pragma once

#include <string>
#include <vector>

#include "sweep/result.hpp"
#include "sweep/sweep.hpp"

namespace plait::sweep {

/// "fastest: ranks=2 threads=1, 1.23 s (1.20 to 1.30), 1.85 times as fast as ranks=1 threads=1",
/// one sentence for each workload.
std::vector<std::string> verdicts(const Sweep& sweep, const SweepResult& result);

/// Verdicts, tables, laws, failures; at most 80 columns except for commands and paths.
/// @param folder  of the sweep, as to be printed
std::vector<std::string> result_lines(const Sweep& sweep, const SweepResult& result,
                                      const std::string& folder);

/// A value of the figure of merit with its unit.
std::string value_text(const Figure& figure, double value);

/// "serial fraction 4.3 % (3.9 to 4.8), half efficiency at 24 cores, within 3 % of the times".
std::string fit_sentence(const model::ScalingFit& fit);

}  // namespace plait::sweep
