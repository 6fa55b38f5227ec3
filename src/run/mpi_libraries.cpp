// SPDX-License-Identifier: BSD-3-Clause
// Finds the files of MPI libraries.
#include "run/mpi_libraries.hpp"

#include <algorithm>
#include <system_error>

namespace plait::run {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> library_names(MpiAbi abi) {
  if (abi == MpiAbi::openmpi) return {"libmpi.so.40"};
  if (abi == MpiAbi::standard) return {"libmpi_abi.so.1", "libmpi_abi.so.0"};
  return {"libmpi.so.12", "libmpich.so.12"};  // Debian's MPICH has the second name
}

}  // namespace

std::vector<std::string> library_candidates(const fs::path& launcher, MpiAbi abi) {
  const std::vector<std::string> names = library_names(abi);
  std::error_code error;
  const fs::path real = fs::canonical(launcher, error);
  std::vector<std::string> candidates;
  for (const fs::path& start : {fs::absolute(launcher, error), real}) {
    const fs::path prefix = start.parent_path().parent_path();
    for (const char* folder : {"lib", "lib64", "lib/release", "lib/x86_64-linux-gnu",
                               "lib/aarch64-linux-gnu", "lib/powerpc64le-linux-gnu"}) {
      for (const std::string& name : names) {
        const std::string file = (prefix / folder / name).string();
        const bool known =
            std::find(candidates.begin(), candidates.end(), file) != candidates.end();
        if (!known && fs::exists(file, error)) candidates.push_back(file);
      }
    }
  }
  candidates.insert(candidates.end(), names.begin(), names.end());
  return candidates;
}

std::vector<std::string> library_files(const fs::path& launcher, MpiAbi abi,
                                       const LibrarySearch& search) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& file) {
    if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) {
      files.push_back(file);
    }
  };
  if (!launcher.empty()) {
    for (const std::string& candidate : library_candidates(launcher, abi)) {
      if (candidate.front() == '/') add(candidate);
    }
  }
  for (const std::string& name : library_names(abi)) add(find_library(name, search));
  return files;
}

}  // namespace plait::run
