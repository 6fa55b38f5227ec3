// SPDX-License-Identifier: BSD-3-Clause
// Programs with many calls under each design of the queues, beside the thesis's figures.
#pragma once

#include <filesystem>

#include "measured_run.hpp"

/// Prints a table of the times of a step: 2 to 128 ranks, each design and the MPI library's own.
/// @param calls  the program, without arguments
void compare_designs(const MeasuredProgram& calls, const std::filesystem::path& folder);
