// SPDX-License-Identifier: BSD-3-Clause
// Prints a machine as tables of at most 80 columns.
#pragma once

#include <string>

#include "machine/machine_file.hpp"

namespace plait::machine {

/// The tables of `plait machine show`: what Intel's cpuinfo prints (counts, cores and hardware
/// threads, cache sharing), the kinds of paths, and the measurements. Lines of at most 80 columns.
std::string show(const MachineFile& file);

}  // namespace plait::machine
