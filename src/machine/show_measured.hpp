// SPDX-License-Identifier: BSD-3-Clause
// Prints the measurements on a machine: paths, STREAM, P(k).
#pragma once

#include <string>

#include "machine/machine_file.hpp"

namespace plait::machine {

/// The tables of the measurements, each after an empty line; one line when there are none.
std::string show_measured(const MachineFile& file);

}  // namespace plait::machine
