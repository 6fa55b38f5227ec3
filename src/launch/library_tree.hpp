// SPDX-License-Identifier: BSD-3-Clause
// The shared libraries that a program will load at start, as the dynamic linker would find them.
#pragma once

#include <string>
#include <vector>

#include "launch/elf.hpp"

namespace plait::launch {

/// A library that a program needs, directly or through another.
struct NeededLibrary {
  std::string name;       ///< as DT_NEEDED names it: "libmpi.so.40"
  std::string path;       ///< empty: not found
  std::string needed_by;  ///< file name of what asks for it
};

/// Where the dynamic linker looks, besides what the files say themselves.
struct LibrarySearch {
  std::vector<std::string> library_path;  ///< LD_LIBRARY_PATH
  std::string cache = "/etc/ld.so.cache";

  /// As the environment of this process says.
  static LibrarySearch from_environment();
};

/// Breadth first, as ld.so(8) loads them: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache,
/// default folders. A library that is not found stays in the list without a path.
std::vector<NeededLibrary> needed_libraries(const ElfFile& program, const LibrarySearch& search);

/// A library by name: LD_LIBRARY_PATH, the cache, default folders; empty when not found.
std::string find_library(const std::string& name, const LibrarySearch& search);

}  // namespace plait::launch
