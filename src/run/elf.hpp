// SPDX-License-Identifier: BSD-3-Clause
// Reads the needed libraries and the MPI functions of an ELF file without running it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plait::run {

/// An executable or shared object.
struct ElfFile {
  std::filesystem::path path;
  std::string interpreter;           ///< the dynamic linker; empty in static files and libraries
  bool dynamic = false;              ///< has a dynamic section
  std::vector<std::string> needed;   ///< DT_NEEDED, in order
  std::vector<std::string> rpath;    ///< DT_RPATH folders, $ORIGIN replaced
  std::vector<std::string> runpath;  ///< DT_RUNPATH folders, $ORIGIN replaced
  std::vector<std::string> imports;  ///< names of the undefined dynamic symbols
  /// An MPI function that the file itself defines ("MPI_Init"): MPI was linked into it. For a
  /// stripped file, a text that only MPI libraries contain. Empty: none.
  std::string own_mpi;

  /// True if the dynamic linker will not load anything into it.
  [[nodiscard]] bool is_static() const { return interpreter.empty(); }
};

/// Reads an ELF file for this architecture.
/// @returns nothing when the file is not an ELF file (a script, say)
/// @throws Error when it cannot be read, is damaged, or is for another architecture.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace plait::run
