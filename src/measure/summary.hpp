// SPDX-License-Identifier: BSD-3-Clause
// The output of a measurement: a verdict, and a table with bounds in 80 columns.
#pragma once

#include <string>
#include <vector>

#include "machine/machine_file.hpp"

namespace plait::measure {

/// One or two sentences about the speed of memory and messages, and how close messages come to the
/// hardware.
std::string verdict(const machine::MachineFile& file);

/// For each path, the latency of an empty MPI message with that of a cache line, and the best MPI
/// bandwidth with that of a memcpy of the same size; then memory bandwidth and P(k). Medians with
/// 95 % intervals, in lines of at most 80 columns.
std::string summary_table(const machine::MachineFile& file);

/// Sentences after the table: anomalies, decided verdicts on messages inside a node beside those
/// between nodes, and how much several measurements differ.
std::vector<std::string> remarks(const machine::MachineFile& file);

}  // namespace plait::measure
