// SPDX-License-Identifier: BSD-3-Clause
// Helper commands: their output, and what happens to them when this process gets a signal.
#include "base/subprocess.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "base/json_file.hpp"

namespace plait {
namespace {

namespace fs = std::filesystem;

TEST(Subprocess, OutputAndExitCodeAreReturned) {
  const CommandResult result =
      run_command({"sh", "-c", "cat; echo err >&2; exit 3"}, std::chrono::seconds(20), "in");
  EXPECT_EQ(result.out, "in");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(result.exit_code, 3);
}

TEST(Subprocess, ASignalReachesTheWholeGroupAndEndsTheCall) {
  const fs::path file = fs::path(::testing::TempDir()) / ("child-" + std::to_string(::getpid()));
  const std::string script = "sleep 60 & echo $! > " + file.string() + "; kill -TERM " +
                             std::to_string(::getpid()) + "; wait";
  try {
    run_command({"sh", "-c", script}, std::chrono::seconds(20));
    FAIL() << "the signal was lost";
  } catch (const Interrupted& interrupted) {
    EXPECT_EQ(interrupted.exit_code(), 128 + SIGTERM);
    EXPECT_STREQ(interrupted.what(), "interrupted by SIGTERM");
  }
  // The call waits for the end of the output, so the sleeping child is gone too.
  struct sigaction now {};
  ::sigaction(SIGTERM, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  EXPECT_FALSE(read_text_file(file).empty());
  fs::remove(file);
}

TEST(Subprocess, AnIgnoredSignalStaysIgnored) {
  ::signal(SIGHUP, SIG_IGN);
  const CommandResult result =
      run_command({"sh", "-c", "kill -HUP " + std::to_string(::getpid()) + "; echo on"},
                  std::chrono::seconds(20));
  ::signal(SIGHUP, SIG_DFL);
  EXPECT_EQ(result.out, "on\n");
}

}  // namespace
}  // namespace plait
