// SPDX-License-Identifier: BSD-3-Clause
// Finds the folders of an installed Plait or of a build tree.
#include "base/layout.hpp"

#include <cstdlib>
#include <system_error>

namespace plait {

InstallLayout install_layout() {
  InstallLayout found;
  if (const char* prefix = std::getenv("PLAIT_PREFIX")) {
    found.prefix = prefix;
  } else {
    found.prefix = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  }
  for (const char* lib : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
    found.preload = found.prefix / lib / "plait";
    std::error_code problem;  // such as a folder that this user may not enter
    if (std::filesystem::exists(found.preload, problem)) break;
  }
  found.libexec = found.prefix / "libexec" / "plait";
  found.share = found.prefix / "share" / "plait";
  return found;
}

}  // namespace plait
