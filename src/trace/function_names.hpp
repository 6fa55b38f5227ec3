// SPDX-License-Identifier: BSD-3-Clause
// Names of functions as their source has them, from the names that compilers give to symbols.
#pragma once

#include <string>
#include <string_view>

namespace plait::trace {

/// The whole name of a function: without what compilers add for copies and for the bodies of OpenMP
/// regions, and with Fortran names as they are written: "mg_utils::mg_grid_init", "solve", "main
/// program".
/// @param symbol  demangled as C++, if it is a C++ name
/// @param file    of the source; empty: unknown. The underscore behind a Fortran name is not
///                dropped if the file is not Fortran
std::string readable_function(std::string_view symbol, std::string_view file);

/// A function without parameters, template arguments and return type: "solver::step",
/// "halo::Exchange::operator()", "solve::lambda". Of Python "solve.inner".
std::string short_function(std::string_view function);

}  // namespace plait::trace
