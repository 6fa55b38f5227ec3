// SPDX-License-Identifier: BSD-3-Clause
// What a measurement says at its end: a verdict and a table beside the bounds, 80 columns wide.
#pragma once

#include <string>

#include "machine/machine_file.hpp"

namespace plait::measure {

/// One or two sentences: how fast memory and messages are, and how far messages are from the bare
/// hardware.
std::string verdict(const machine::MachineFile& file);

/// For each path the latency of an empty message beside a bare cache line, and the best bandwidth
/// over MPI beside memcpy of the same size; then memory bandwidth and P(k). Medians with their 95 %
/// intervals; lines of at most 80 columns.
std::string summary_table(const machine::MachineFile& file);

}  // namespace plait::measure
