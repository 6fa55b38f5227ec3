// SPDX-License-Identifier: BSD-3-Clause
// Sentences about the measurements on a machine.
#pragma once

#include <string>

#include "machine/measured.hpp"

namespace plait::machine {

/// "Open MPI 4.1.4"; "this MPI" when it is unknown.
std::string mpi_name(const Measured& measured);

/// One verdict on overlap as a sentence: "Open MPI 4.1.4 does not move long messages between nodes
/// while the program computes: 3 % hidden".
/// @param mpi  as mpi_name() returns it
std::string overlap_sentence(const OverlapVerdict& verdict, const std::string& mpi);

/// One sentence about all verdicts on long messages: what the MPI does by default, and which
/// settings change that. "Open MPI 4.1.4 does not move long messages while the program computes;
/// with a communicating thread it does". Verdicts between nodes take precedence over those inside a
/// node, and eager messages are used only if there are no long ones. Empty without verdicts.
/// "overlap_headline" in the machine file.
std::string overlap_headline(const Measured& measured);

}  // namespace plait::machine
