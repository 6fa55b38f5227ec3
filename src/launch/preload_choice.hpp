// SPDX-License-Identifier: BSD-3-Clause
// Which preload object fits a program: by the MPI library that it is linked to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "launch/launcher.hpp"
#include "launch/library_tree.hpp"

namespace plait::launch {

/// The binary interfaces of MPI that Plait has a preload object for.
enum class MpiAbi { unknown, openmpi, mpich, standard };

/// "openmpi", "mpich", "abi"; empty for unknown: also the middle of the object's file name.
std::string abi_name(MpiAbi abi);

/// The ABI of a name as abi_name gives it.
MpiAbi abi_of_name(const std::string& name);

/// The ABI that a library's name stands for; unknown when it is no MPI library that Plait knows.
/// libmpi.so.40 and Open MPI's Fortran libraries; libmpi.so.12, libmpich.so.12 and MPICH's and
/// Intel's Fortran libraries; libmpi_abi.so.N.
MpiAbi abi_of_library(const std::string& name);

/// What was found about the programs of a command line, and the object to load into them.
struct PreloadChoice {
  MpiAbi abi = MpiAbi::unknown;
  std::filesystem::path object;
  std::string reason;                 ///< "app needs libmpi.so.40"
  std::filesystem::path program;      ///< the first program, as found
  std::vector<std::string> warnings;  ///< sentences, each with a remedy
};

/// The program's file: the name itself when it holds a slash, else looked up in PATH.
/// @param folder  in which the launcher will start it; empty: the current one
/// @throws Error when there is no such file or it may not be executed.
std::filesystem::path find_program(const std::string& name, const std::string& folder);

/// Chooses the preload object for a command line. Reads files, runs no program of it. For Python it
/// asks the interpreter where the module mpi4py lies, which starts no MPI.
/// @param folder  that holds the preload objects
/// @param told    what the user says it is; unknown: look
/// @throws Error when a program is missing, MPI is linked into it statically, its MPI is of an
///         unknown kind, its parts use different MPIs, or this Plait lacks the object.
PreloadChoice choose_preload(const LaunchCommand& command, const std::filesystem::path& folder,
                             MpiAbi told = MpiAbi::unknown,
                             const LibrarySearch& search = LibrarySearch::from_environment());

}  // namespace plait::launch
