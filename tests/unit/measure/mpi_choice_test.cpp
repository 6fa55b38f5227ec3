// SPDX-License-Identifier: BSD-3-Clause
// From a launcher to its library and its command line, in folders created for the test.
#include "measure/mpi_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "plait/error.hpp"

namespace plait::measure {
namespace {

namespace fs = std::filesystem;
using launcher::LauncherKind;
using run::MpiAbi;

/// The prefix of an MPI with a launcher that only prints its version.
class MpiChoiceTest : public testing::Test {
protected:
  MpiChoiceTest() {
    std::string name = (fs::temp_directory_path() / "plait-mpi-choice-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    for (const char* folder : {"bin", "lib", "probes"}) fs::create_directory(root_ / folder);
    for (const char* probe : {"plait-probe-mpich", "plait-probe-openmpi", "plait-probe-abi"}) {
      touch(root_ / "probes" / probe);
    }
  }
  ~MpiChoiceTest() override { fs::remove_all(root_); }

  static void touch(const fs::path& path) { std::ofstream(path) << ""; }
  fs::path launcher(const std::string& version) {
    const fs::path path = root_ / "bin" / "mpiexec";
    std::ofstream(path) << "#!/bin/sh\necho '" << version << "'\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  fs::path root_;
};

TEST_F(MpiChoiceTest, a_prefix_leads_to_its_launcher_and_library) {
  launcher("mpiexec (OpenRTE) 4.1.4");
  touch(root_ / "lib" / "libmpi.so.40");
  const MpiChoice choice = choose_mpi(root_, root_ / "probes");
  EXPECT_EQ(choice.launcher.kind, LauncherKind::openmpi4);
  EXPECT_EQ(choice.abi, MpiAbi::openmpi);
  EXPECT_EQ(choice.probe.filename(), "plait-probe-openmpi");
  ASSERT_EQ(choice.libraries.size(), 2U);
  EXPECT_EQ(choice.libraries[0], (root_ / "lib" / "libmpi.so.40").string());
  EXPECT_EQ(choice.libraries[1], "libmpi.so.40")
      << "else what the environment of the launcher finds";
}

TEST_F(MpiChoiceTest, the_library_is_also_found_behind_a_symbolic_link) {
  launcher("HYDRA build details:\n    Version:  4.0.2");
  touch(root_ / "lib" / "libmpich.so.12");
  const fs::path elsewhere = root_ / "elsewhere";
  fs::create_directories(elsewhere / "bin");
  fs::create_symlink(root_ / "bin" / "mpiexec", elsewhere / "bin" / "mpiexec");
  const MpiChoice choice = choose_mpi(elsewhere / "bin" / "mpiexec", root_ / "probes");
  EXPECT_EQ(choice.abi, MpiAbi::mpich);
  EXPECT_EQ(choice.libraries[0], (fs::canonical(root_) / "lib" / "libmpich.so.12").string());
}

TEST_F(MpiChoiceTest, an_mpi_with_the_standard_abi_only_gets_its_probe) {
  launcher("HYDRA build details:\n    Version:  6.0.0");
  touch(root_ / "lib" / "libmpi_abi.so.1");
  const MpiChoice choice = choose_mpi(root_, root_ / "probes");
  EXPECT_EQ(choice.abi, MpiAbi::standard);
  EXPECT_EQ(choice.probe.filename(), "plait-probe-abi");
}

TEST_F(MpiChoiceTest, an_unusable_mpi_is_reported_in_one_line) {
  EXPECT_THROW(choose_mpi("/nonexistent/mpiexec", root_ / "probes"), Error);
  EXPECT_THROW(choose_mpi(root_, root_ / "probes"), Error) << "no launcher in bin";
  launcher("something else 1.0");
  EXPECT_THROW(choose_mpi(root_, root_ / "probes"), Error) << "unknown kind";
  launcher("mpiexec (OpenRTE) 4.1.4");
  EXPECT_THROW(choose_mpi(root_, root_ / "none"), Error) << "no probe of this ABI";
}

TEST(ProbeCommand, starts_unbound_ranks_on_this_node) {
  MpiChoice mpi;
  mpi.launcher.path = "/opt/mpi/bin/mpiexec";
  mpi.probe = "/opt/plait/probe";
  const auto text = [&](LauncherKind kind) {
    mpi.launcher.kind = kind;
    std::string line;
    for (const std::string& word : probe_command(mpi, 3)) line += word + " ";
    return line;
  };
  EXPECT_EQ(text(LauncherKind::openmpi4),
            "/opt/mpi/bin/mpiexec -n 3 --host localhost:3 --bind-to none --oversubscribe --mca "
            "mpi_yield_when_idle 0 /opt/plait/probe ");
  EXPECT_EQ(text(LauncherKind::openmpi5),
            "/opt/mpi/bin/mpiexec -n 3 --host localhost:3 --bind-to none --map-by :OVERSUBSCRIBE "
            "/opt/plait/probe ");
  EXPECT_EQ(text(LauncherKind::mpich),
            "/opt/mpi/bin/mpiexec -n 3 -launcher fork -hosts localhost -bind-to none "
            "/opt/plait/probe ");
  EXPECT_EQ(text(LauncherKind::intel),
            "/opt/mpi/bin/mpiexec -n 3 -launcher fork -hosts localhost /opt/plait/probe ");
  EXPECT_EQ(probe_environment(mpi, false),
            (std::vector<std::pair<std::string, std::string>>{{"I_MPI_PIN", "0"}}));
}

TEST(ProbeCommand, on_several_nodes_each_launcher_gets_them_in_its_own_syntax) {
  MpiChoice mpi;
  mpi.launcher.path = "mpiexec";
  mpi.probe = "probe";
  const auto text = [&](LauncherKind kind) {
    mpi.launcher.kind = kind;
    std::string line;
    for (const std::string& word : probe_command(mpi, {"n0", "n1"}, 4, {"--x", "y"}))
      line += word + " ";
    return line;
  };
  EXPECT_EQ(text(LauncherKind::openmpi4),
            "mpiexec -n 8 --host n0:4,n1:4 --map-by slot --bind-to none --x y probe ");
  EXPECT_EQ(text(LauncherKind::mpich), "mpiexec -n 8 -hosts n0:4,n1:4 -bind-to none --x y probe ");
  EXPECT_EQ(text(LauncherKind::intel), "mpiexec -n 8 -hosts n0,n1 -ppn 4 --x y probe ");
}

}  // namespace
}  // namespace plait::measure
