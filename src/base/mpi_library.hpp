// SPDX-License-Identifier: BSD-3-Clause
// Shortens the version string of an MPI library.
#pragma once

#include <string>

namespace plait {

/// "Open MPI 4.1.4", "MPICH 4.0.2" or "Intel MPI 2021.18" from the text that
/// MPI_Get_library_version returns; for an unknown library, the text up to the first comma, tab or
/// line end.
std::string short_library(const std::string& text);

}  // namespace plait
