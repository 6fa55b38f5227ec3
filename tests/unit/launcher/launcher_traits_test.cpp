// SPDX-License-Identifier: BSD-3-Clause
// The table of launchers is complete, and its launchers are not confused with each other.
#include "launcher/launcher_traits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace plait::launcher {
namespace {

TEST(LauncherTraits, EachLauncherIsFoundByKindAndId) {
  std::set<std::string> ids;
  for (const LauncherTraits* launcher : known_launchers()) {
    const LauncherFacts& facts = launcher->facts();
    EXPECT_EQ(&traits_of(facts.kind), launcher);
    EXPECT_EQ(launcher_of_key(facts.id), facts.kind);
    EXPECT_EQ(launcher_key(facts.kind), facts.id);
    EXPECT_TRUE(ids.insert(facts.id).second) << facts.id;
    EXPECT_FALSE(std::string(facts.title).empty()) << facts.id;
    EXPECT_FALSE(facts.ranks.empty()) << facts.id;
    EXPECT_FALSE(facts.placement.empty()) << facts.id;
    EXPECT_FALSE(launcher->bind_options(2).empty()) << facts.id;
  }
  EXPECT_EQ(known_launcher_ids(), "openmpi4, openmpi5, mpich, intel, slurm");
}

TEST(LauncherTraits, AVersionTextIsOfOneLauncher) {
  for (const char* text :
       {"mpirun (Open MPI) 4.1.6\n", "mpiexec.openmpi (OpenRTE) 4.1.4\n",
        "mpiexec (Open MPI) 5.0.11\n", "prterun (PRRTE) 3.0.8\n",
        "HYDRA build details:\n    Version: 4.3.0\n    Configure options: '--with-prrte=no'\n",
        "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)\n",
        "slurm 22.05.8\n"}) {
    const auto& all = known_launchers();
    EXPECT_EQ(std::count_if(all.begin(), all.end(),
                            [&](const auto* one) { return one->version_in(text).has_value(); }),
              1)
        << text;
  }
}

TEST(LauncherTraits, OptionsAreSplitAsTheirLauncherDoes) {
  const auto parts = [](LauncherKind kind, const std::string& option) {
    const OptionParts found = traits_of(kind).parts(option);
    return found.name + "|" + found.value;
  };
  EXPECT_EQ(parts(LauncherKind::slurm, "-n4"), "n|4");
  EXPECT_EQ(parts(LauncherKind::slurm, "--ntasks=4"), "ntasks|4");
  EXPECT_EQ(parts(LauncherKind::slurm, "-lu"), "l|u");
  EXPECT_EQ(parts(LauncherKind::openmpi5, "--map-by"), "map-by|");
  EXPECT_EQ(parts(LauncherKind::mpich, "-np"), "np|");
}

TEST(LauncherTraits, WithoutALauncherRanksBindThemselves) {
  const LauncherTraits& none = traits_of(LauncherKind::none);
  EXPECT_TRUE(none.bind_options(2).empty());
  Plan plan;
  plan.ranks = 1;
  plan.places = {{"", machine::CpuSet::parse("0-1"), {}}};
  EXPECT_TRUE(none.place(plan, "", "folder", {}).binder);
}

}  // namespace
}  // namespace plait::launcher
