// SPDX-License-Identifier: BSD-3-Clause
// Programs run as if started directly: output, exit codes, signals, time limits.
#include "run/supervise.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/json_file.hpp"
#include "base/process_tree.hpp"
#include "plait/error.hpp"

namespace plait::run {
namespace {

namespace fs = std::filesystem;

class SuperviseTest : public testing::Test {
protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  ProcessRequest shell(const std::string& script) const {
    ProcessRequest request;
    request.argv = {"/bin/sh", "-c", script};
    request.stdout_copy = folder_ / "out";
    request.stderr_copy = folder_ / "err";
    return request;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("plait_sup_" + std::to_string(::getpid()));
};

TEST_F(SuperviseTest, OutputIsPassedOnByteByByteAndKept) {
  testing::internal::CaptureStdout();
  const ProcessEnd end = supervise(shell("printf 'a\\r\\n\\000b'; printf 'e\\377' >&2"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), std::string("a\r\n\0b", 5));
  EXPECT_EQ(read_text_file(folder_ / "out"), std::string("a\r\n\0b", 5));
  EXPECT_EQ(read_text_file(folder_ / "err"), "e\xff");
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(end.problems.empty());
}

TEST_F(SuperviseTest, OutputNotShownIsStillKept) {
  ProcessRequest request = shell("echo quiet");
  request.show_stdout = false;
  testing::internal::CaptureStdout();
  supervise(request);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(read_text_file(folder_ / "out"), "quiet\n");
}

TEST_F(SuperviseTest, ExitCodesAndSignalsAreReported) {
  EXPECT_EQ(supervise(shell("exit 7")).exit_code, 7);
  const ProcessEnd end = supervise(shell("kill -SEGV $$"));
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.exit_code, 128 + SIGSEGV);
}

TEST_F(SuperviseTest, VariablesAreSetForTheProgramOnly) {
  ProcessRequest request = shell("printf %s \"$PLAIT_TEST_VARIABLE\"");
  request.environment = {{"PLAIT_TEST_VARIABLE", "value"}};
  supervise(request);
  EXPECT_EQ(read_text_file(folder_ / "out"), "value");
  EXPECT_EQ(::getenv("PLAIT_TEST_VARIABLE"), nullptr);
}

TEST_F(SuperviseTest, AProgramThatCannotStartIsAnError) {
  ProcessRequest request = shell("");
  request.argv = {"/nowhere/app"};
  EXPECT_THROW(supervise(request), Error);
}

TEST_F(SuperviseTest, TheTimeLimitEndsAlsoWhatLeftTheGroup) {
  // The shell's child is in a new session, as ranks of launchers may be, and ignores SIGTERM.
  ProcessRequest request =
      shell("setsid sh -c 'trap \"\" TERM; echo $$ > " + (folder_ / "pid").string() +
            "; while :; do sleep 1; done' & while [ ! -s " + (folder_ / "pid").string() +
            " ]; do sleep 0.05; done; wait");
  request.time_limit_s = 0.5;
  const ProcessEnd end = supervise(request);
  EXPECT_TRUE(end.timed_out);
  EXPECT_NE(end.exit_code, 0);
  const pid_t pid = std::stoi(read_text_file(folder_ / "pid"));
  ::waitpid(pid, nullptr, 0);  // it was reparented to us when its parent ended
  EXPECT_FALSE(process_stat(pid).has_value());
}

/// A launcher of two processes, one killed and one that ends with code 7; it waits for neither.
constexpr const char* kHangs = "sh -c 'kill $$' & sh -c 'exit 7' & exec sleep 1000";

TEST_F(SuperviseTest, ALauncherThatHangsAfterItsProcessesIsEnded) {
  ProcessRequest request = shell(kHangs);
  request.stuck_after = std::chrono::milliseconds(1);
  const ProcessEnd end = supervise(request);
  EXPECT_EQ(end.exit_code, 7) << "of the process that failed by itself";
  EXPECT_FALSE(end.signal);
  ASSERT_EQ(end.problems.size(), 1U);
  EXPECT_NE(end.problems[0].find("did not end after all of its processes"), std::string::npos);
}

TEST_F(SuperviseTest, ALauncherWhoseProcessesRunDoesNotHang) {
  ProcessRequest request = shell("sleep 2.5 & sleep 0.1 & wait; exit 3");
  request.stuck_after = std::chrono::milliseconds(1);
  const ProcessEnd end = supervise(request);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_TRUE(end.problems.empty());
}

TEST_F(SuperviseTest, AFullDiskEndsTheCopyNotTheProgram) {
  ProcessRequest request = shell("echo lost; echo ran > " + (folder_ / "ran").string());
  request.stdout_copy = "/dev/full";
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const ProcessEnd end = supervise(request);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "lost\n");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("is incomplete"), std::string::npos);
  EXPECT_EQ(end.exit_code, 0);
  ASSERT_EQ(end.problems.size(), 1U);
  EXPECT_TRUE(fs::exists(folder_ / "ran"));
}

TEST_F(SuperviseTest, SignalsArePassedOn) {
  const pid_t parent = ::getpid();
  ProcessRequest request =
      shell("trap 'exit 42' USR1; kill -USR1 " + std::to_string(parent) + "; sleep 20 & wait");
  const ProcessEnd end = supervise(request);
  EXPECT_EQ(end.exit_code, 42);
  EXPECT_FALSE(end.interrupted_by.has_value());
}

TEST_F(SuperviseTest, AnInterruptionIsNoTimeLimit) {
  ProcessRequest request =
      shell("trap 'exit 0' INT; kill -INT " + std::to_string(::getpid()) + "; sleep 20 & wait");
  request.unattended = true;
  request.time_limit_s = 20;
  const ProcessEnd end = supervise(request);
  EXPECT_EQ(end.interrupted_by, SIGINT);
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(end.exit_code, 0);
}

}  // namespace
}  // namespace plait::run
