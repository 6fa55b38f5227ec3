// SPDX-License-Identifier: BSD-3-Clause
// The MPI library of this process: its functions and data by name.
#pragma once

#include "trace/record_format.h"

namespace plait::preload {

/// The ABI that this object is for.
extern const plait_abi kAbi;

/// A function of the MPI library by name; null: absent. Another preload object may come before
/// the library, with its own MPI_X and PMPI_X.
void* find_symbol(const char* name);

/// A datum of the MPI library by name, as the program sees it: its executable may hold a copy
/// (copy relocation) that the library uses as well. Null: absent.
void* find_data(const char* name);

/// Does this process have an MPI library?
bool has_mpi();

/// Does the library have the ABI of this object? Unknown libraries pass.
bool library_fits();

/// Is it Open MPI 4? Also before it is initialized.
bool is_open_mpi_4();

}  // namespace plait::preload
