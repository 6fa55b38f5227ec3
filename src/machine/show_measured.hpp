// SPDX-License-Identifier: BSD-3-Clause
// Prints what was measured on a machine: paths, STREAM, P(k).
#pragma once

#include <string>

#include "machine/machine_file.hpp"

namespace plait::machine {

/// The tables of the measured part, each behind an empty line; one sentence when there is none.
std::string show_measured(const MachineFile& file);

}  // namespace plait::machine
