// SPDX-License-Identifier: BSD-3-Clause
// Settings in quarantine: kept, found again when they apply, removed.
#include "run/quarantine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/environment.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

class Quarantine : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("quarantine-" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    intel_.kind = launcher::LauncherKind::intel;
    intel_.version = "2021.18.1";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Quarantined put(const std::vector<std::string>& settings) const {
    Quarantined entry;
    entry.mpi = launcher::kind_name(intel_.kind);
    entry.version = intel_.version;
    entry.host = host_name();
    entry.settings = settings;
    entry.what.kind = Outcome::crashed;
    entry.what.signal = 8;
    entry.what.message = "KILLED BY SIGNAL: 8";
    entry.command = {"mpiexec", "-n", "2", "app"};
    return put_into_quarantine(entry, folder_);
  }

  std::filesystem::path folder_;
  launcher::Launcher intel_;
};

TEST_F(Quarantine, AnEntryIsReadBack) {
  const Quarantined put_in = put({"I_MPI_SHM=off"});
  const auto all = quarantined(folder_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].id, put_in.id);
  EXPECT_EQ(all[0].settings, put_in.settings);
  EXPECT_EQ(all[0].what.signal, 8);
  EXPECT_EQ(all[0].command, put_in.command);
  EXPECT_EQ(quarantine_sentence(all[0]),
            "I_MPI_SHM=off under Intel MPI 2021.18.1 crashed with SIGFPE: KILLED BY SIGNAL: 8 (" +
                put_in.when + ")");
}

TEST_F(Quarantine, TheSameSettingsAreOneEntry) {
  put({"A=1", "B=2"});
  put({"B=2", "A=1"});
  EXPECT_EQ(quarantined(folder_).size(), 1U);
}

TEST_F(Quarantine, HoldsForTheSameMpiWithAllItsSettings) {
  put({"A=1", "B=2"});
  const auto all = quarantined(folder_);
  EXPECT_EQ(quarantined_in(all, intel_, {"C=3", "B=2", "A=1"}).size(), 1U);
  EXPECT_TRUE(quarantined_in(all, intel_, {"A=1"}).empty());
  launcher::Launcher newer = intel_;
  newer.version = "2021.19";
  EXPECT_TRUE(quarantined_in(all, newer, {"A=1", "B=2"}).empty());
}

TEST_F(Quarantine, HoldsHoweverTheSettingIsGiven) {
  put({"--mca btl self", "-genv A 1"});
  EXPECT_EQ(quarantined_in(quarantined(folder_), intel_, {"OMPI_MCA_btl=self", "-env A 1"}).size(),
            1U);
  EXPECT_TRUE(quarantined_in(quarantined(folder_), intel_, {"--mca btl tcp", "A=1"}).empty());
}

TEST_F(Quarantine, EntriesAreLetOut) {
  const Quarantined first = put({"A=1"});
  put({"B=2"});
  EXPECT_EQ(forget_quarantined(first.id, folder_), 1);
  EXPECT_EQ(quarantined(folder_).size(), 1U);
  EXPECT_THROW(forget_quarantined(first.id, folder_), Error);
  EXPECT_EQ(forget_quarantined("all", folder_), 1);
}

TEST_F(Quarantine, HalfAFileHidesNoOther) {
  put({"A=1"});
  std::ofstream(folder_ / "broken.json") << "{\"schema\":";
  EXPECT_EQ(quarantined(folder_).size(), 1U);
}

TEST_F(Quarantine, SettingsOfAPlanLeaveOpenMpOut) {
  launcher::Plan plan;
  plan.environment = {{"OMP_NUM_THREADS", "2"}, {"I_MPI_SHM", "off"}};
  plan.launcher_options = {"--mca", "btl", "self", "--bind-to", "core"};
  EXPECT_EQ(settings_of(plan),
            (std::vector<std::string>{"--bind-to core", "--mca btl self", "I_MPI_SHM=off"}));
}

}  // namespace
}  // namespace plait::run
