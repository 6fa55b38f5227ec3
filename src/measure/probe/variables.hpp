// SPDX-License-Identifier: BSD-3-Clause
// Reads variables of the MPI library inside a rank, by the MPI tool interface.
#pragma once

#include <string>
#include <vector>

#include "mpi_library.hpp"

namespace plait::measure {

/// "variable NAME VALUE" for each of these control variables that the library has, with the value
/// that is in effect. MPI must be initialized: Open MPI 4.1 crashes if the tool interface is used
/// before and after.
std::vector<std::string> variable_lines(const MpiLibrary& mpi,
                                        const std::vector<std::string>& names);

}  // namespace plait::measure
