// SPDX-License-Identifier: BSD-3-Clause
// The preload object is chosen by the libraries of a program.
#include "run/preload_choice.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "plait/error.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;
const std::string kStandIns = PLAIT_STAND_INS;

class PreloadChoiceTest : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(folder_);
    for (const char* abi : {"openmpi", "mpich", "abi"}) {
      std::ofstream(folder_ / ("libplait-" + std::string(abi) + ".so")) << "";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  PreloadChoice choose(launcher::LauncherKind kind, const std::vector<std::string>& programs,
                       MpiAbi given = MpiAbi::unknown) {
    launcher::LaunchCommand command;
    command.launcher = {kind, "", "mpiexec", ""};
    for (const std::string& program : programs) {
      launcher::Application application;
      application.argv = {program};
      command.applications.push_back(application);
    }
    return choose_preload(command, folder_, given, {});
  }

  std::string refusal(const std::string& program) {
    try {
      choose(launcher::LauncherKind::openmpi4, {program});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("plait_choice_" + std::to_string(::getpid()));
};

TEST_F(PreloadChoiceTest, EachAbiHasItsObject) {
  EXPECT_EQ(
      choose(launcher::LauncherKind::openmpi4, {kStandIns + "/needs_openmpi"}).object.filename(),
      "libplait-openmpi.so");
  EXPECT_EQ(choose(launcher::LauncherKind::mpich, {kStandIns + "/needs_mpich"}).object.filename(),
            "libplait-mpich.so");
  EXPECT_EQ(choose(launcher::LauncherKind::intel, {kStandIns + "/needs_abi"}).object.filename(),
            "libplait-abi.so");
}

TEST_F(PreloadChoiceTest, MpiBehindAnotherLibraryIsFound) {
  const PreloadChoice choice = choose(launcher::LauncherKind::slurm, {kStandIns + "/needs_solver"});
  EXPECT_EQ(choice.abi, MpiAbi::openmpi);
  EXPECT_EQ(choice.reason, "libstand_in_solver.so needs libmpi.so.40");
}

TEST_F(PreloadChoiceTest, AProgramThatDoesNotTellFollowsItsLauncher) {
  EXPECT_EQ(choose(launcher::LauncherKind::intel, {kStandIns + "/needs_nothing"}).abi,
            MpiAbi::mpich);
  EXPECT_EQ(choose(launcher::LauncherKind::openmpi5, {kStandIns + "/needs_nothing"}).abi,
            MpiAbi::openmpi);
}

TEST_F(PreloadChoiceTest, TheUserMaySayIt) {
  EXPECT_EQ(
      choose(launcher::LauncherKind::intel, {kStandIns + "/needs_nothing"}, MpiAbi::standard).abi,
      MpiAbi::standard);
}

TEST_F(PreloadChoiceTest, AStaticMpiIsRefusedWithReasonAndRemedy) {
  for (const char* program : {"/static_mpi", "/linked_in_mpi"}) {
    const std::string text = refusal(kStandIns + program);
    EXPECT_NE(text.find("MPI is linked into it statically"), std::string::npos) << text;
    EXPECT_NE(text.find("link it with the shared MPI library"), std::string::npos) << text;
  }
}

TEST_F(PreloadChoiceTest, AnUnknownMpiIsRefused) {
  EXPECT_NE(refusal(kStandIns + "/needs_old")
                .find("libmpi.so.1, an MPI library that Plait does not know"),
            std::string::npos);
}

TEST_F(PreloadChoiceTest, MissingProgramsAndFoldersAreRefused) {
  EXPECT_NE(refusal("./no_such_program").find("program not found"), std::string::npos);
  EXPECT_NE(refusal("no_such_program").find("check the name and PATH"), std::string::npos);
  EXPECT_NE(refusal("/tmp").find("a folder, not a program"), std::string::npos);
}

TEST_F(PreloadChoiceTest, ALauncherOfAnotherMpiIsWarnedOf) {
  const PreloadChoice choice =
      choose(launcher::LauncherKind::mpich, {kStandIns + "/needs_openmpi"});
  EXPECT_EQ(choice.abi, MpiAbi::openmpi);
  ASSERT_EQ(choice.warnings.size(), 1U);
  EXPECT_NE(choice.warnings[0].find("rank 0 of 1"), std::string::npos);
}

TEST_F(PreloadChoiceTest, PartsWithDifferentMpisAreRefused) {
  EXPECT_THROW(choose(launcher::LauncherKind::openmpi4,
                      {kStandIns + "/needs_openmpi", kStandIns + "/needs_mpich"}),
               Error);
}

TEST_F(PreloadChoiceTest, AMissingObjectIsAnError) {
  fs::remove(folder_ / "libplait-mpich.so");
  EXPECT_THROW(choose(launcher::LauncherKind::mpich, {kStandIns + "/needs_mpich"}), Error);
}

TEST(AbiOfLibrary, NamesOfTheLibrariesThatPlaitKnows) {
  for (const char* name : {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40",
                           "libmpi_usempi_ignore_tkr.so.40", "libmpi.so.40.30.4"}) {
    EXPECT_EQ(abi_of_library(name), MpiAbi::openmpi) << name;
  }
  for (const char* name : {"libmpi.so.12", "libmpich.so.12", "libmpifort.so.12",
                           "libmpichfort.so.12", "libmpi_cray.so.12", "libmpi_gnu_91.so.12"}) {
    EXPECT_EQ(abi_of_library(name), MpiAbi::mpich) << name;
  }
  EXPECT_EQ(abi_of_library("libmpi_abi.so.1"), MpiAbi::standard);
  EXPECT_EQ(abi_of_library("libmpifort_abi.so.1"), MpiAbi::standard);
  for (const char* name : {"libmpi.so.20", "libmpi.so.1", "libmpdec.so.3", "libc.so.6"}) {
    EXPECT_EQ(abi_of_library(name), MpiAbi::unknown) << name;
  }
}

}  // namespace
}  // namespace plait::run
