// SPDX-License-Identifier: BSD-3-Clause
// Launchers are found in PATH and in the folders that MPI modules name, each once.
#include "doctor/installed_mpi.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace plait::doctor {
namespace {

namespace fs = std::filesystem;
using launcher::LauncherKind;

constexpr const char* kOpenMpi = "mpiexec (OpenRTE) 4.1.9";
constexpr const char* kMpich = "HYDRA build details:\n    Version:    4.3.7";

class InstalledMpis : public testing::Test {
protected:
  void SetUp() override {
    for (const char* name : {"MPI_HOME", "MPI_ROOT", "I_MPI_ROOT", "OPAL_PREFIX", "EBROOTOPENMPI",
                             "LD_LIBRARY_PATH"}) {
      ::unsetenv(name);
    }
    ::setenv("PATH", (base_ / "open/bin").c_str(), 1);
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(base_);
  }

  /// A program that prints a text, whatever its arguments are.
  fs::path add_program(const std::string& name, const std::string& text) const {
    const fs::path file = base_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\necho '" << text << "'\n";
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  fs::path add_library(const std::string& name) const {
    fs::create_directories((base_ / name).parent_path());
    std::ofstream(base_ / name) << "library";
    return base_ / name;
  }

  /// Those in this test's folder, not those of this machine.
  [[nodiscard]] std::vector<InstalledMpi> found() const {
    std::vector<InstalledMpi> all = find_installed_mpis();
    std::erase_if(all, [&](const InstalledMpi& mpi) {
      return mpi.launcher.path.compare(0, base_.string().size(), base_.string()) != 0;
    });
    return all;
  }

  fs::path base_ = fs::path(testing::TempDir()) / ("plait_mpis_" + std::to_string(::getpid()));
  std::string path_ = std::getenv("PATH");
};

TEST_F(InstalledMpis, TheFirstInPathIsMarkedAndComesWithItsLibraries) {
  const fs::path mpiexec = add_program("open/bin/mpiexec", kOpenMpi);
  const fs::path library = add_library("open/lib/libmpi.so.40");
  add_library("open/lib/libmpi.so.12");  // of another interface than the launcher's
  const auto all = found();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].launcher.kind, LauncherKind::openmpi4);
  EXPECT_EQ(all[0].launcher.version, "4.1.9");
  EXPECT_EQ(all[0].launcher.path, mpiexec);
  EXPECT_TRUE(all[0].first_in_path);
  EXPECT_EQ(all[0].libraries, std::vector<std::string>{library});
}

TEST_F(InstalledMpis, FoldersOfModulesAreSearchedToo) {
  add_program("open/bin/mpiexec", kOpenMpi);
  add_program("mpich/bin/mpiexec", kMpich);
  const fs::path own = add_library("mpich/lib64/libmpi.so.12");
  const fs::path standard = add_library("mpich/lib/libmpi_abi.so.1");
  for (const auto& [name, value] :
       {std::pair{"MPI_HOME", "mpich"}, {"LD_LIBRARY_PATH", "mpich/lib"}}) {
    ::setenv(name, (base_ / value).c_str(), 1);
    const auto all = found();
    ASSERT_EQ(all.size(), 2U) << name;
    EXPECT_EQ(all[1].launcher.kind, LauncherKind::mpich);
    EXPECT_FALSE(all[1].first_in_path);
    EXPECT_EQ(all[1].libraries, (std::vector<std::string>{own, standard}));
    ::unsetenv(name);
  }
}

TEST_F(InstalledMpis, ALauncherWithSeveralNamesIsListedOnce) {
  const fs::path mpiexec = add_program("open/bin/mpiexec", kOpenMpi);
  fs::create_symlink(mpiexec, base_ / "open/bin/mpiexec.openmpi");
  add_program("open/bin/mpirun", kOpenMpi);  // a wheel's twin, which is another file
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(InstalledMpis, OtherProgramsOfThatNameAreLeftOut) {
  add_program("open/bin/mpirun", "usage: mpirun FILE");
  fs::permissions(add_program("open/bin/mpiexec", kOpenMpi), fs::perms::owner_read);
  EXPECT_TRUE(found().empty());
}

}  // namespace
}  // namespace plait::doctor
