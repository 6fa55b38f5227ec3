// SPDX-License-Identifier: BSD-3-Clause
// Run directories: names, refusals, run.json.
#include "run/run_directory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/json.hpp"
#include "base/json_file.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

class RunDirectoryTest : public testing::Test {
protected:
  void SetUp() override {
    fs::create_directories(base_);
    before_ = fs::current_path();
    fs::current_path(base_);
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(base_);
  }
  fs::path base_ = fs::path(testing::TempDir()) / ("plait_run_" + std::to_string(::getpid()));
  fs::path before_;
};

TEST_F(RunDirectoryTest, TwoRunsOfOneSecondHaveTwoFolders) {
  const RunDirectory a = RunDirectory::create("", "/usr/bin/my app");
  const RunDirectory b = RunDirectory::create("", "/usr/bin/my app");
  EXPECT_NE(a.path(), b.path());
  EXPECT_EQ(a.path().parent_path().filename(), "plait-runs");
  EXPECT_EQ(a.path().filename().string().rfind("my_app-20", 0), 0U) << a.path();
  EXPECT_TRUE(fs::is_directory(a.records()));
}

TEST_F(RunDirectoryTest, AFolderWithSomethingInItIsRefused) {
  fs::create_directory("old");
  EXPECT_NO_THROW(RunDirectory::create("old", "app"));
  EXPECT_THROW(RunDirectory::create("old", "app"), Error);
  std::ofstream("file") << "x";
  EXPECT_THROW(RunDirectory::create("file", "app"), Error);
  EXPECT_THROW(RunDirectory::create("file/below", "app"), Error);
}

TEST_F(RunDirectoryTest, AFolderThatCannotBeWrittenIsRefusedBeforeTheStart) {
  EXPECT_THROW(RunDirectory::create("/proc/plait-run", "app"), Error);
}

TEST_F(RunDirectoryTest, RunJsonHoldsWhatWasRunAndHowItEnded) {
  const RunDirectory directory = RunDirectory::create("run", "app");
  RunFile run;
  run.command = {"mpiexec", "-n", "2", "./app", "\xff\xfe"};  // command lines need not be UTF-8
  run.launcher = {launcher::LauncherKind::openmpi4, "4.1.4", "mpiexec", "/usr/bin/mpiexec"};
  run.start = iso_now();
  directory.write(run);
  nlohmann::json json = read_json_file(directory.run_file(), kRunSchema, kRunSchemaVersion);
  EXPECT_EQ(json.at("state"), "running");
  EXPECT_TRUE(json.at("exit_code").is_null());
  run.state = RunState::killed;
  run.exit_code = 137;
  run.signal = 9;
  directory.write(run);
  json = read_json_file(directory.run_file(), kRunSchema, kRunSchemaVersion);
  EXPECT_EQ(json.at("state"), "killed");
  EXPECT_EQ(json.at("exit_code"), 137);
  EXPECT_EQ(json.at("signal"), 9);
  EXPECT_EQ(json.at("launcher").at("kind"), "openmpi");
  EXPECT_EQ(json.at("command").size(), 5U);
  EXPECT_EQ(run.start.size(), std::string("2026-11-20T12:00:00.000Z").size());
}

TEST(RunName, IsAFileName) {
  EXPECT_EQ(run_name("/opt/x/lmp"), "lmp");
  EXPECT_EQ(run_name("./a b;c"), "a_b_c");
  EXPECT_EQ(run_name("..."), "run...");
}

}  // namespace
}  // namespace plait::run
