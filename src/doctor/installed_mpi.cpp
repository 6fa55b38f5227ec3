// SPDX-License-Identifier: BSD-3-Clause
// Finds the MPI installations of this system by their launchers and libraries.
#include "doctor/installed_mpi.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>

#include "base/environment.hpp"
#include "base/subprocess.hpp"
#include "plait/error.hpp"
#include "run/library_tree.hpp"
#include "run/preload_choice.hpp"

namespace plait::doctor {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_path(const std::string& list) {
  std::vector<std::string> result;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) result.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// Folders that may contain launchers, those of PATH first.
std::vector<fs::path> launcher_folders() {
  std::vector<fs::path> folders;
  for (const std::string& folder : split_path(environment_value("PATH"))) {
    folders.emplace_back(folder);
  }
  for (const char* name : {"MPI_HOME", "MPI_ROOT", "I_MPI_ROOT", "OPAL_PREFIX", "EBROOTOPENMPI"}) {
    const std::string prefix = environment_value(name);
    if (!prefix.empty()) folders.push_back(fs::path(prefix) / "bin");
  }
  for (const std::string& folder : split_path(environment_value("LD_LIBRARY_PATH"))) {
    folders.push_back(fs::path(folder).parent_path() / "bin");
  }
  for (const char* folder :
       {"/usr/lib64/openmpi/bin", "/usr/lib64/mpich/bin", "/usr/local/bin", "/opt/openmpi/bin",
        "/opt/mpich/bin", "/opt/intel/oneapi/mpi/latest/bin", "/opt/slurm/bin"}) {
    folders.emplace_back(folder);
  }
  return folders;
}

/// The MPI libraries of a launcher with its ABI: in PREFIX/lib, else (for /usr) those that the
/// dynamic linker finds.
std::vector<std::string> libraries_of(const launcher::Launcher& launcher) {
  static constexpr std::array<const char*, 4> kNames{"libmpi.so.40", "libmpi.so.12",
                                                     "libmpich.so.12", "libmpi_abi.so.1"};
  const run::MpiAbi own = run::abi_of_launcher(launcher.kind);
  std::vector<std::string> found;
  if (own == run::MpiAbi::unknown) return found;
  const fs::path prefix = fs::path(launcher.path).parent_path().parent_path();
  const run::LibrarySearch search;
  for (const char* name : kNames) {
    const run::MpiAbi abi = run::abi_of_library(name);
    // MPICH and libraries derived from it may also come with the standard ABI.
    const bool second = abi == run::MpiAbi::standard && own == run::MpiAbi::mpich;
    if (abi != own && !second) continue;
    std::string path;
    for (const char* folder : {"lib", "lib64", "lib/release"}) {
      if (path.empty() && fs::exists(prefix / folder / name)) path = prefix / folder / name;
    }
    if (path.empty() && prefix == "/usr") path = run::find_library(name, search);
    if (!path.empty()) found.push_back(path);
  }
  return found;
}

}  // namespace

std::vector<InstalledMpi> find_installed_mpis() {
  std::vector<InstalledMpi> found;
  std::vector<fs::path> seen;
  const std::string first = find_in_path("mpiexec");
  std::error_code none;
  const fs::path first_real = first.empty() ? fs::path() : fs::canonical(first, none);
  for (const fs::path& folder : launcher_folders()) {
    for (const char* name : {"mpiexec", "mpiexec.openmpi", "mpiexec.mpich", "mpirun", "srun"}) {
      const fs::path path = folder / name;
      if (::access(path.c_str(), X_OK) != 0) continue;
      std::error_code problem;
      const fs::path real = fs::canonical(path, problem);
      if (problem || std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
      seen.push_back(real);
      try {
        InstalledMpi mpi;
        mpi.launcher = launcher::identify_launcher(path.string());
        mpi.first_in_path = real == first_real;
        mpi.libraries = libraries_of(mpi.launcher);
        // Python wheels contain mpiexec and mpirun as two files of one launcher.
        const bool twin = std::any_of(found.begin(), found.end(), [&](const InstalledMpi& other) {
          return other.launcher.kind == mpi.launcher.kind &&
                 other.launcher.version == mpi.launcher.version &&
                 fs::path(other.launcher.path).parent_path() == folder;
        });
        if (!twin) found.push_back(std::move(mpi));
      } catch (const Error&) {
        // Another program with that name.
      }
    }
  }
  return found;
}

}  // namespace plait::doctor
