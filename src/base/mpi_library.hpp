// SPDX-License-Identifier: BSD-3-Clause
// The short name of an MPI library.
#pragma once

#include <string>

namespace plait {

/// "Open MPI 4.1.4", "MPICH 4.0.2", "Intel MPI 2021.18" from what MPI_Get_library_version says; of
/// an unknown library all up to the first comma or line end.
std::string short_library(const std::string& text);

}  // namespace plait
