// SPDX-License-Identifier: BSD-3-Clause
// Stored settings: found again for their job, refused for another one.
#include "advise/tuned_settings.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait::advise {
namespace {

namespace fs = std::filesystem;

TunedSettings settings() {
  TunedSettings made;
  made.made_for = {"Model: 1 package", "openmpi", "4.1.4", "shared memory", 1, 2, 2};
  made.created = "2026-01-01T00:00:00Z";
  made.host = "vm";
  launcher::Plan plan;
  plan.name = "eager limit 16 KiB";
  plan.environment = {{"OMPI_MCA_btl_vader_eager_limit", "16384"}};
  plan.only_for = launcher::LauncherKind::openmpi4;
  plan.wait = "automatic";
  made.plan = plan;
  made.findings = {"messages between two ranks: 2 times as fast"};
  return made;
}

class StoredSettings : public ::testing::Test {
protected:
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_ = fs::path(::testing::TempDir()) / "plait-tuned";
};

TEST_F(StoredSettings, AreFoundForTheirJob) {
  const fs::path one = store_settings(settings(), folder_);
  EXPECT_TRUE(fs::exists(one / launcher::kPlanName));
  TunedSettings nothing = settings();
  nothing.made_for.ranks = nothing.made_for.ranks_per_node = 4;
  nothing.plan.reset();
  store_settings(nothing, folder_);
  const std::vector<TunedSettings> all = stored_settings(folder_);
  ASSERT_EQ(all.size(), 2U);
  const TunedSettings found = require_settings(settings().made_for, all);
  ASSERT_TRUE(found.plan.has_value());
  EXPECT_EQ(settings_lines(*found.plan),
            (std::vector<std::string>{"OMPI_MCA_btl_vader_eager_limit=16384", "--wait automatic"}));
  launcher::Plan rules;
  rules.environment["X"] = std::string(launcher::kFilesFolder) + "/coll.conf";
  EXPECT_EQ(settings_lines(rules),
            std::vector<std::string>{"X=coll.conf, a file in the run directory"});
  EXPECT_EQ(found.findings, settings().findings);
  EXPECT_FALSE(require_settings(nothing.made_for, all).plan.has_value());
}

TEST_F(StoredSettings, AreReplacedByNewerOnes) {
  const fs::path one = store_settings(settings(), folder_);
  TunedSettings newer = settings();
  newer.created = "2026-01-02T00:00:00Z";
  EXPECT_EQ(store_settings(newer, folder_), one);
  ASSERT_EQ(stored_settings(folder_).size(), 1U);
  EXPECT_EQ(stored_settings(folder_)[0].created, newer.created);
}

TEST_F(StoredSettings, OfAnotherMachineOrVersionAreRefused) {
  store_settings(settings(), folder_);
  const std::vector<TunedSettings> all = stored_settings(folder_);
  const auto refusal = [&](const TunedFor& job) -> std::string {
    EXPECT_FALSE(settings_for(job, all).has_value());
    try {
      require_settings(job, all);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  TunedFor job = settings().made_for;
  job.mpi_version = "4.1.5";
  EXPECT_NE(refusal(job).find("made for another job (version 4.1.4 instead of 4.1.5)"),
            std::string::npos)
      << refusal(job);
  job = settings().made_for;
  job.machine = "Other: 2 packages";
  EXPECT_NE(refusal(job).find("machine Model: 1 package instead of Other"), std::string::npos);
  EXPECT_THROW(require_settings(job, {}), Error);
}

TEST_F(StoredSettings, ThatAreDamagedAreLeftOut) {
  const fs::path one = store_settings(settings(), folder_);
  write_text_file(one / "tuned.json", "{\"schema\":\"plait-tuned\",\"schema_version\":1}");
  EXPECT_TRUE(stored_settings(folder_).empty());
}

}  // namespace
}  // namespace plait::advise
