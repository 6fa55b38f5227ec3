// SPDX-License-Identifier: BSD-3-Clause
// Chooses the mapper for a command, and refuses jobs that would hang under it.
#pragma once

#include <filesystem>

#include "launcher/launcher.hpp"
#include "run/preload_choice.hpp"

namespace plait::run {

/// The preload object that reorders topologies. At the end of MPI_Init it communicates with all
/// ranks, so each program of a job of several must load it. Reads files and runs no program.
/// @throws Error when one of several programs cannot load it: a static executable, a program
///         without MPI, or one that is started without LD_PRELOAD.
/// @throws Failure when this Plait does not have the object.
std::filesystem::path choose_mapper(
    const launcher::LaunchCommand& command, MpiAbi abi,
    const LibrarySearch& search = LibrarySearch::from_environment());

}  // namespace plait::run
