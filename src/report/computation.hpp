// SPDX-License-Identifier: BSD-3-Clause
// Where ranks compute, from samples of call stacks: hot spots, and what differs between ranks.
#pragma once

#include <string>
#include <vector>

#include "report/job.hpp"
#include "report/profile.hpp"
#include "report/terminal.hpp"
#include "samples/call_tree.hpp"

namespace plait::report {

/// The figures of a call tree; nothing if it has no samples.
/// @param ranks  number of ranks
std::optional<Computation> computation_of(const samples::CallTree& tree, int ranks);

/// The place of a function of a call tree.
/// @param line  0: where the function begins
FunctionPlace place_in(const samples::CallTree& tree, int function, int line);

/// "assemble (mesh.cpp:62)", as in reports.
std::string place_of(const FunctionPlace& of);

/// "rank 1 spends 2.1 times the mean in assemble (mesh.cpp:62)"; empty if no function explains why
/// this rank computes longest.
std::string difference_sentence(const Profile& profile, int rank);

/// The block of the terminal report: where the time of samples went, and the hottest functions.
/// Empty without samples.
std::vector<std::string> computation_lines(const Profile& profile, const TerminalOptions& options);

}  // namespace plait::report
