// SPDX-License-Identifier: BSD-3-Clause
// Launchers are recognized by what they print for --version.
#include "launcher/launcher.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"

namespace plait::launcher {
namespace {

TEST(Launcher, OpenMpi4) {
  const Launcher launcher = identify_version_text(
      "mpirun", "mpirun (Open MPI) 4.1.6\n\nReport bugs to http://www.open-mpi.org\n");
  EXPECT_EQ(launcher.kind, LauncherKind::openmpi4);
  EXPECT_EQ(launcher.version, "4.1.6");
}

TEST(Launcher, DebiansOpenMpi4) {
  const Launcher launcher =
      identify_version_text("mpiexec.openmpi", "mpiexec.openmpi (OpenRTE) 4.1.4\n");
  EXPECT_EQ(launcher.kind, LauncherKind::openmpi4);
  EXPECT_EQ(launcher.version, "4.1.4");
  EXPECT_EQ(kind_name(launcher.kind), "openmpi");
}

TEST(Launcher, OpenMpi5) {
  const Launcher launcher = identify_version_text("mpiexec", "mpiexec (Open MPI) 5.0.11\n");
  EXPECT_EQ(launcher.kind, LauncherKind::openmpi5);
  EXPECT_EQ(launcher.version, "5.0.11");
}

TEST(Launcher, PrrteUnderItsOwnName) {
  EXPECT_EQ(identify_version_text("prterun", "prterun (PRRTE) 3.0.8\n").kind,
            LauncherKind::openmpi5);
}

TEST(Launcher, Mpich) {
  const Launcher launcher = identify_version_text(
      "mpiexec", "HYDRA build details:\n    Version:                                 5.0.2\n");
  EXPECT_EQ(launcher.kind, LauncherKind::mpich);
  EXPECT_EQ(launcher.version, "5.0.2");
}

TEST(Launcher, IntelMpi) {
  const Launcher launcher = identify_version_text(
      "mpirun",
      "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)\n");
  EXPECT_EQ(launcher.kind, LauncherKind::intel);
  EXPECT_EQ(launcher.version, "2021.18.1");
}

TEST(Launcher, Slurm) {
  EXPECT_EQ(identify_version_text("srun", "slurm 22.05.8\n").kind, LauncherKind::slurm);
  EXPECT_EQ(identify_version_text("srun", "slurm-wlm 23.11.4\n").version, "23.11.4");
}

TEST(Launcher, SomethingElseIsNone) {
  EXPECT_EQ(identify_version_text("mpiexec", "usage: mpiexec FILE\n").kind, LauncherKind::none);
}

TEST(Launcher, NamesOfLaunchers) {
  for (const char* name : {"mpiexec", "/usr/bin/mpirun", "mpiexec.hydra", "mpirun.openmpi",
                           "orterun", "prterun", "srun", "mpiexec.mpich", "mpirun-openmpi-gcc"}) {
    EXPECT_TRUE(is_launcher_name(name)) << name;
  }
  for (const char* name : {"mpiexecutor", "./mpirunner", "app", "python3", "sruns"}) {
    EXPECT_FALSE(is_launcher_name(name)) << name;
  }
}

TEST(Launcher, AMissingLauncherIsAnError) {
  EXPECT_THROW(identify_launcher("/nowhere/mpiexec"), Error);
  EXPECT_EQ(identify_launcher("./app").kind, LauncherKind::none);
}

TEST(Launcher, KindsSurviveRunJson) {
  for (const auto& [kind, version] : {std::pair{LauncherKind::openmpi4, "4.1.4"},
                                      {LauncherKind::openmpi5, "5.0.11"},
                                      {LauncherKind::mpich, "4.0.2"},
                                      {LauncherKind::intel, "2021.18.1"},
                                      {LauncherKind::slurm, "22.05"},
                                      {LauncherKind::none, ""}}) {
    EXPECT_EQ(kind_of(kind_name(kind), version), kind);
  }
}

}  // namespace
}  // namespace plait::launcher
