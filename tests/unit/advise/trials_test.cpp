// SPDX-License-Identifier: BSD-3-Clause
// Trials of two commands in turn: order, end, and what stops them.
#include "advise/trials.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "base/json_file.hpp"

namespace plait::advise {
namespace {

class TrialsTest : public ::testing::Test {
protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("trials-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TrialRequest request(const std::string& before, const std::string& after) const {
    TrialRequest of;
    of.commands = {TrialCommand{"before", {"sh", "-c", before}, {}},
                   TrialCommand{"after", {"sh", "-c", after}, {}}};
    of.folder = folder_;
    of.most_pairs = 3;
    return of;
  }

  std::filesystem::path folder_;
};

TEST_F(TrialsTest, CommandsTakeTurnsAndTheFirstPairOnlyWarmsUp) {
  TrialRequest of = request("echo took 4", "echo took 2");
  std::string order;
  of.progress = [&](const std::string& name, int, double) { order += name[0]; };
  of.time_of = [](const std::string& output) { return std::stod(output.substr(5)); };
  const TrialResult result = run_trials(of);
  EXPECT_EQ(order, "baabbaab");
  EXPECT_FALSE(result.failure.has_value());
  ASSERT_EQ(result.seconds.size(), 3U);
  for (const auto& pair : result.seconds) EXPECT_EQ(pair, (std::array<double, 2>{4, 2}));
  EXPECT_DOUBLE_EQ(result.limit_s, 10);
}

TEST_F(TrialsTest, AnInterruptionIsNoFailureOfTheCommand) {
  // The second command's third run, in the second pair, is interrupted.
  const std::string count = (folder_ / "count").string();
  TrialRequest of = request("true", "echo x >> " + count + "; test $(wc -l < " + count +
                                        ") -lt 3 || { kill -TERM " + std::to_string(::getpid()) +
                                        "; sleep 20; }");
  const TrialResult result = run_trials(of);
  EXPECT_EQ(result.interrupted_by, SIGTERM);
  EXPECT_FALSE(result.failure.has_value());
  EXPECT_EQ(result.seconds.size(), 1U);
}

TEST_F(TrialsTest, TheObservedRunIsJudgedBeforeAnyPair) {
  TrialRequest of = request("true", "echo bare");
  of.observed = TrialCommand{"after", {"sh", "-c", "echo observed"}, {}};
  std::string seen;
  of.judge_observed = [&] {
    seen = read_text_file(folder_ / "after-0.out");
    return std::string();
  };
  EXPECT_EQ(run_trials(of).seconds.size(), 3U);
  EXPECT_EQ(seen, "observed\n");
  EXPECT_EQ(read_text_file(folder_ / "after-1.out"), "bare\n");
  of.judge_observed = [] { return std::string("1 of 2 ranks is elsewhere"); };
  const TrialResult stopped = run_trials(of);
  ASSERT_TRUE(stopped.failure.has_value());
  EXPECT_EQ(stopped.failure->problem, "1 of 2 ranks is elsewhere");
  EXPECT_TRUE(stopped.seconds.empty());
}

TEST_F(TrialsTest, PairsInWhichOtherProgramsTookPartAreRepeated) {
  TrialRequest of = request("true", "true");
  // Other programs start during the second pair and stay: that pair has one run of each kind.
  int run = 0;
  of.others = [&](const TrialRun&) { return ++run >= 6 ? 1000.0 : 0.0; };
  const TrialResult result = run_trials(of);
  EXPECT_EQ(result.seconds.size(), 3U);
  EXPECT_EQ(result.disturbed.size(), 1U);
  EXPECT_NEAR(result.others[0], 2000.0 / 3, 1e-9);
}

TEST_F(TrialsTest, WithoutAnyUndisturbedPairTheyEnd) {
  TrialRequest of = request("true", "true");
  int run = 0;
  of.others = [&](const TrialRun&) { return ++run % 4 < 2 ? 1000.0 : 0.0; };
  of.commands[0].name = "before";
  const TrialResult result = run_trials(of);
  EXPECT_EQ(result.seconds.size() + result.disturbed.size(), result.disturbed.size());
  EXPECT_EQ(result.disturbed.size(), 3U);
}

TEST(Disturbance, IsADifferenceBetweenTheRunsOfAPair) {
  EXPECT_TRUE(is_disturbed({0, 1}, 2));
  EXPECT_TRUE(is_disturbed({1.5, 0}, 8));
  EXPECT_FALSE(is_disturbed({2, 2}, 2)) << "both runs were slower";
  EXPECT_FALSE(is_disturbed({0.1, 0.15}, 2));
  EXPECT_FALSE(is_disturbed({std::nan(""), 2}, 2)) << "nothing is known of one of them";
}

TEST_F(TrialsTest, MayGoOnWithoutAWarmUp) {
  TrialRequest of = request("echo 1", "echo 2");
  std::string order;
  of.progress = [&](const std::string& name, int pair, double) {
    order += name[0] + std::to_string(pair);
  };
  of.first_pair = 3;
  of.most_pairs = 1;
  of.time_limit_s = 10;
  EXPECT_EQ(run_trials(of).seconds.size(), 1U);
  EXPECT_EQ(order, "a3b3");
  of.same_output = true;
  of.expected_output = "1\n";
  const TrialResult result = run_trials(of);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->command, 1);
}

TEST_F(TrialsTest, EndWhenDecided) {
  TrialRequest of = request("true", "true");
  of.decided = [](const auto& seconds) { return seconds.size() == 2; };
  EXPECT_EQ(run_trials(of).seconds.size(), 2U);
}

TEST_F(TrialsTest, AHangThatIgnoresSigtermIsKilledAndNamed) {
  TrialRequest of = request("true", "trap '' TERM; echo waiting; while :; do sleep 1; done");
  of.time_limit_s = 0.5;
  const TrialResult result = run_trials(of);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->command, 1);
  EXPECT_EQ(result.failure->pair, 0);
  EXPECT_EQ(result.failure->outcome.kind, run::Outcome::hung);
  EXPECT_EQ(result.failure->outcome.message, "waiting");
}

TEST_F(TrialsTest, WhatWasMeasuredBeforeAFailureStays) {
  const std::string third = (folder_ / "count").string();
  TrialRequest of = request("true", "echo x >> " + third + "; test $(wc -l < " + third + ") -lt 3");
  const TrialResult result = run_trials(of);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->outcome.kind, run::Outcome::failed);
  EXPECT_EQ(result.seconds.size(), 1U);
}

TEST_F(TrialsTest, OutputThatDiffersStopsThem) {
  TrialRequest of = request("echo 1", "echo 2");
  of.same_output = true;
  const TrialResult result = run_trials(of);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->command, 1);
  EXPECT_NE(result.failure->problem.find("differs from that of the first run"), std::string::npos);
}

TEST_F(TrialsTest, EnvironmentAndOutputAreTheCommandsOwn) {
  TrialRequest of = request("true", "echo $PLAIT_TRIAL");
  of.commands[1].environment = {{"PLAIT_TRIAL", "yes"}};
  of.most_pairs = 1;
  EXPECT_FALSE(run_trials(of).failure.has_value());
  EXPECT_EQ(read_text_file(folder_ / "after-1.out"), "yes\n");
}

}  // namespace
}  // namespace plait::advise
