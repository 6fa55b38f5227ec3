// SPDX-License-Identifier: BSD-3-Clause
// Advice for programs whose communication is known: HPL and CG, on which nodes and which grid.
#pragma once

#include <string>
#include <vector>

namespace plait::advise {

/// A program by its name on the command line: "hpl" for plait-lu, xhpl and hpcc; "cg" for plait-cg
/// and cg.CLASS.x of the NAS Parallel Benchmarks; empty for any other.
std::string known_program(const std::vector<std::string>& command);

/// Sentences on a run that follow from its program alone, without its measurements; empty for
/// programs that are not known, and on one node. HPL: whether one more or one less node would send
/// less, the grid on which the busiest node sends least, and how much the given grid (--grid of
/// plait-lu) or its default sends instead. CG: how the volume grows with nodes. The last sentence
/// names the command that predicts times.
/// @param per_node  ranks of each node
std::vector<std::string> advice_for_program(const std::vector<std::string>& command, int nodes,
                                            int per_node);

}  // namespace plait::advise
