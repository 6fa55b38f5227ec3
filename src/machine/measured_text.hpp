// SPDX-License-Identifier: BSD-3-Clause
// Sentences on what was measured.
#pragma once

#include <string>

#include "machine/measured.hpp"

namespace plait::machine {

/// "Open MPI 4.1.4"; "this MPI" when it is not known.
std::string mpi_name(const Measured& measured);

/// What one verdict on overlap says: "Open MPI 4.1.4 does not move long messages between nodes
/// while the program computes: 3 % hidden". @param mpi  as mpi_name() gives it
std::string overlap_sentence(const OverlapVerdict& verdict, const std::string& mpi);

/// One sentence over all verdicts on long messages between nodes (where there are none: inside the
/// node; where all were eager: on those): what the MPI does by default, and which settings change
/// it. Empty without verdicts.
/// "Open MPI 4.1.4 does not move long messages while the program computes; with a communicating
/// thread it does". The machine file holds it as "overlap_headline".
std::string overlap_headline(const Measured& measured);

}  // namespace plait::machine
