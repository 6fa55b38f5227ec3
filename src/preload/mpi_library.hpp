// SPDX-License-Identifier: BSD-3-Clause
// The MPI library behind a preload object: its functions and data by name.
#pragma once

#include "preload/profile/abi.hpp"

namespace plait::preload {

/// A function of the MPI library by name; null: absent. Another preload object may stand before the
/// library, with MPI_X and PMPI_X of its own.
void* find_symbol(const char* name);

/// Does this process have an MPI library?
bool has_mpi();

/// Is the library of the ABI that this object was compiled for? Unknown libraries pass.
bool library_fits();

}  // namespace plait::preload
