// SPDX-License-Identifier: BSD-3-Clause
// Reads what an ELF file needs, without running it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plait::launch {

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
  /// stripped file, a text that only MPI libraries hold. Empty: none.
  std::string own_mpi;

  /// The dynamic linker will not load anything into it.
  [[nodiscard]] bool is_static() const { return interpreter.empty(); }
};

/// Reads an ELF file of this machine's kind.
/// @returns nothing when the file is no ELF file (a script, say)
/// @throws Error when it cannot be read, is damaged, or is for another architecture.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace plait::launch
