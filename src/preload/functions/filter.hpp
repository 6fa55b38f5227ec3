// SPDX-License-Identifier: BSD-3-Clause
// Chooses functions by their names: patterns, and names from the symbols of C, C++ and Fortran.
//
// Part of the preload objects: no exceptions, no libstdc++, no heap.
#pragma once

#include <stddef.h>

namespace plait::preload::functions {

/// The name of a function without parameters, template arguments and additions of compilers:
/// "solve", "Mesh::assemble", "mg_utils::mg_grid_init" (Fortran). Cut to `bytes`.
/// @param symbol  as the symbol table has it
void plain_name(const char* symbol, char* into, size_t bytes);

/// True if `patterns` name the function: a list with commas of patterns with * and ?; those that
/// begin with ! exclude. A pattern may leave out namespaces and classes at the begin of the name.
bool is_chosen(const char* patterns, const char* name);

}  // namespace plait::preload::functions
