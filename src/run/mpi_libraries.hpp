// SPDX-License-Identifier: BSD-3-Clause
// The files of MPI libraries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/library_tree.hpp"
#include "run/preload_choice.hpp"

namespace plait::run {

/// The paths at which the library of a launcher exists, followed by its names for the dynamic
/// linker.
/// @param launcher  path of mpiexec; the prefix is its grandparent, before and after resolving
///                  symbolic links
std::vector<std::string> library_candidates(const std::filesystem::path& launcher, MpiAbi abi);

/// The files that a program which opens its MPI library while it runs, like Python, may open: that
/// of the launcher, and those that the dynamic linker finds by name.
std::vector<std::string> library_files(const std::filesystem::path& launcher, MpiAbi abi,
                                       const LibrarySearch& search);

}  // namespace plait::run
