// SPDX-License-Identifier: BSD-3-Clause
// The list of known hazards is valid, and versions match as they should.
#include "doctor/hazards.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plait/error.hpp"

namespace plait::doctor {
namespace {

launcher::Launcher launcher(launcher::LauncherKind kind, const std::string& version) {
  return {kind, version, "", ""};
}

bool has(const std::vector<Hazard>& hazards, const std::string& id) {
  return std::any_of(hazards.begin(), hazards.end(),
                     [&](const Hazard& hazard) { return hazard.id == id; });
}

TEST(Hazards, VersionsAreComparedPartByPart) {
  EXPECT_TRUE(version_matches("5.0.11", ">=5 <5.1"));
  EXPECT_TRUE(version_matches("4.1.4", ">=4.1 <4.2"));
  EXPECT_FALSE(version_matches("4.10", "<4.2"));
  EXPECT_TRUE(version_matches("5", "=5.0.0"));
  EXPECT_TRUE(version_matches("5.0.1", ">5"));
  EXPECT_FALSE(version_matches("5.0.1", "<=5"));
  EXPECT_TRUE(version_matches("2021.18.1", ">=2021.18 <2021.19"));
  EXPECT_TRUE(version_matches("1", ""));
  EXPECT_THROW(version_matches("1", "about 2"), Error);
  EXPECT_THROW(version_matches("1", "~2"), Error);
}

TEST(Hazards, TheListIsComplete) {
  const std::vector<Hazard> all = load_hazards(PLAIT_HAZARDS);
  std::set<std::string> ids;
  for (const Hazard& hazard : all) {
    EXPECT_TRUE(ids.insert(hazard.id).second) << hazard.id;
    EXPECT_FALSE(hazard.what.empty() || hazard.evidence.empty() || hazard.remedy.empty() ||
                 hazard.reproducer.empty())
        << hazard.id;
    EXPECT_NO_THROW(version_matches("1.0", hazard.versions)) << hazard.id;
    for (const std::string& mpi : hazard.mpi) {
      EXPECT_NE(launcher::kind_of(mpi, "4"), launcher::LauncherKind::none) << hazard.id;
    }
  }
  EXPECT_GE(all.size(), 10U);
}

TEST(Hazards, EachMpiHasItsOwn) {
  const std::vector<Hazard> all = load_hazards(PLAIT_HAZARDS);
  const auto open4 = hazards_of(all, launcher(launcher::LauncherKind::openmpi4, "4.1.4"));
  EXPECT_TRUE(has(open4, "openmpi4-treematch-aborts"));
  EXPECT_TRUE(has(open4, "openmpi4-treematch-hangs"));
  EXPECT_TRUE(has(open4, "openmpi4-srun-pmix-segfault-in-init"));
  EXPECT_FALSE(has(open4, "openmpi5-unknown-btl-hangs"));
  const auto open5 = hazards_of(all, launcher(launcher::LauncherKind::openmpi5, "5.0.11"));
  EXPECT_TRUE(has(open5, "openmpi5-unknown-btl-hangs"));
  EXPECT_TRUE(has(open5, "openmpi-binds-threads-to-one-core"));
  const auto mpich = hazards_of(all, launcher(launcher::LauncherKind::mpich, "5.0.2"));
  EXPECT_TRUE(has(mpich, "mpich-ucx-probe-hang"));
  EXPECT_FALSE(has(mpich, "intel-shm-off-sigfpe"));
  EXPECT_TRUE(hazards_of(all, launcher(launcher::LauncherKind::openmpi5, "")).empty());
  EXPECT_TRUE(hazards_of(all, launcher(launcher::LauncherKind::slurm, "22.05")).empty());
}

TEST(Hazards, AMissingListIsAnError) {
  EXPECT_THROW(load_hazards("/nowhere.json"), Error);
}

}  // namespace
}  // namespace plait::doctor
