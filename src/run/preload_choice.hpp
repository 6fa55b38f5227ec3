// SPDX-License-Identifier: BSD-3-Clause
// Chooses the preload object for a program by the MPI library to which it is linked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launcher/launcher.hpp"
#include "run/library_tree.hpp"

namespace plait::run {

/// The binary interfaces of MPI for which Plait has a preload object.
enum class MpiAbi { unknown, openmpi, mpich, standard };

/// "openmpi", "mpich", "abi", as in the file name of the preload object; empty for unknown.
std::string abi_name(MpiAbi abi);

/// The ABI with this abi_name().
MpiAbi abi_of_name(const std::string& name);

/// The ABI of the MPI libraries of a launcher; unknown for Slurm, which starts any.
MpiAbi abi_of_launcher(launcher::LauncherKind kind);

/// The ABI of a library by its name; unknown if Plait does not know it as an MPI library.
/// libmpi.so.40 and Open MPI's Fortran libraries; libmpi.so.12, libmpich.so.12 and MPICH's and
/// Intel's Fortran libraries; libmpi_abi.so.N.
MpiAbi abi_of_library(const std::string& name);

/// True for a library of any version with MPI in its name, even if Plait does not know it.
bool looks_like_mpi(const std::string& name);

/// The programs of a command line and the object to load into them.
struct PreloadChoice {
  MpiAbi abi = MpiAbi::unknown;
  std::filesystem::path object;
  std::string reason;                 ///< "app needs libmpi.so.40"
  std::filesystem::path program;      ///< the first program, as found
  std::vector<std::string> warnings;  ///< sentences, each with a remedy
};

/// The file of a program: the name itself if it contains a slash, else looked up in PATH.
/// @param folder  in which the launcher will start it; empty: the current one
/// @throws Error when the file does not exist or may not be executed.
std::filesystem::path find_program(const std::string& name, const std::string& folder);

/// Chooses the preload object for a command line. Reads files and runs none of its programs. For
/// Python it asks the interpreter for the path of the module mpi4py, which does not start MPI.
/// @param folder  of the preload objects
/// @param given   the ABI that the user names; unknown: determine it
/// @throws Error when a program is missing, MPI is linked into it statically, its MPI is unknown,
///         its parts use different MPIs, or this Plait does not have the object.
PreloadChoice choose_preload(const launcher::LaunchCommand& command,
                             const std::filesystem::path& folder, MpiAbi given = MpiAbi::unknown,
                             const LibrarySearch& search = LibrarySearch::from_environment());

}  // namespace plait::run
