// SPDX-License-Identifier: BSD-3-Clause
// Finds the shared libraries that a program loads at start, as the dynamic linker would.
#pragma once

#include <string>
#include <vector>

#include "run/elf.hpp"

namespace plait::run {

/// A library that a program needs, directly or through another.
struct NeededLibrary {
  std::string name;       ///< as DT_NEEDED names it: "libmpi.so.40"
  std::string path;       ///< empty: not found
  std::string needed_by;  ///< file name of the program or library that needs it
};

/// Where the dynamic linker searches, besides the folders that the files name.
struct LibrarySearch {
  std::vector<std::string> library_path;  ///< LD_LIBRARY_PATH
  std::string cache = "/etc/ld.so.cache";

  /// From the environment of this process.
  static LibrarySearch from_environment();
};

/// The libraries in the order in which ld.so(8) loads them, breadth first: DT_RPATH,
/// LD_LIBRARY_PATH, DT_RUNPATH, the cache, default folders. A library that is not found is in the
/// list without a path.
std::vector<NeededLibrary> needed_libraries(const ElfFile& program, const LibrarySearch& search);

/// A library by name: LD_LIBRARY_PATH, the cache, default folders; empty when not found.
std::string find_library(const std::string& name, const LibrarySearch& search);

}  // namespace plait::run
