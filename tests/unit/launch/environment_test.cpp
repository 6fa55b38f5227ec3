// SPDX-License-Identifier: BSD-3-Clause
// Secrets stay out of run directories; variables reach all ranks.
#include "launch/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "plait/error.hpp"

namespace plait::launch {
namespace {

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

std::vector<std::string> exporting(LauncherKind kind, const std::string& line) {
  Launcher launcher;
  launcher.kind = kind;
  return exporting_command(parse_command(launcher, words(line)), {{"A", "1"}, {"B", "2"}});
}

TEST(Environment, NamesOfSecrets) {
  for (const char* name : {"GITHUB_TOKEN", "aws_secret_access_key", "PGPASSWORD", "API_KEY",
                           "SSH_AUTH_SOCK", "MY_CREDENTIALS"}) {
    EXPECT_TRUE(is_secret_name(name)) << name;
  }
  for (const char* name : {"PATH", "OMP_NUM_THREADS", "LD_PRELOAD", "I_MPI_PIN_DOMAIN"}) {
    EXPECT_FALSE(is_secret_name(name)) << name;
  }
}

TEST(Environment, SecretsAreMasked) {
  ::setenv("PLAIT_TEST_TOKEN", "abc", 1);
  ::setenv("PLAIT_TEST_PLAIN", "abc", 1);
  const auto environment = masked_environment();
  EXPECT_EQ(environment.at("PLAIT_TEST_TOKEN"), "(masked)");
  EXPECT_EQ(environment.at("PLAIT_TEST_PLAIN"), "abc");
}

TEST(Environment, APreloadIsAppended) {
  EXPECT_EQ(extended_preload("", {"/p.so"}), "/p.so");
  EXPECT_EQ(extended_preload("/a.so", {"/p.so", "/q.so"}), "/a.so:/p.so:/q.so");
  EXPECT_EQ(extended_preload("/a.so:/p.so", {"/p.so"}), "/a.so:/p.so");
}

TEST(Environment, RanksOfThisNodeInheritSoTheCommandStays) {
  if (std::getenv("SLURM_JOB_ID") != nullptr) GTEST_SKIP() << "in an allocation";
  EXPECT_EQ(exporting(LauncherKind::openmpi4, "mpirun -n 2 ./app"), words("mpirun -n 2 ./app"));
  EXPECT_EQ(exporting(LauncherKind::mpich, "mpiexec -hosts a,b -n 2 ./app"),
            words("mpiexec -hosts a,b -n 2 ./app"));
  EXPECT_EQ(exporting(LauncherKind::slurm, "srun -n 2 ./app"), words("srun -n 2 ./app"));
}

TEST(Environment, OpenMpiExportsToOtherNodesInEachPart) {
  EXPECT_EQ(exporting(LauncherKind::openmpi4, "mpirun --host a,b -n 1 ./x : -n 1 ./y"),
            words("mpirun -x A -x B --host a,b -n 1 ./x : -x A -x B -n 1 ./y"));
}

TEST(Environment, HydraIsToldWhereItsEnvironmentIsRestricted) {
  EXPECT_EQ(exporting(LauncherKind::mpich, "mpiexec -genvnone -n 1 ./x"),
            words("mpiexec -genv A 1 -genv B 2 -genvnone -n 1 ./x"));
}

TEST(Environment, SrunsExportListGrows) {
  EXPECT_EQ(exporting(LauncherKind::slurm, "srun --export=PATH -n 2 ./app"),
            words("srun --export=PATH,A,B -n 2 ./app"));
  EXPECT_THROW(exporting(LauncherKind::slurm, "srun --export=NONE -n 2 ./app"), Error);
}

}  // namespace
}  // namespace plait::launch
