// SPDX-License-Identifier: BSD-3-Clause
// Tests of work in child processes that crash, hang or use too much memory.
#include "base/child.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <new>

#include "base/failure.hpp"
#include "plait/error.hpp"

namespace plait {
namespace {

TEST(Child, ReturnsItsText) {
  const std::string long_text(1'000'000, 'x');
  const pid_t here = ::getpid();
  EXPECT_EQ(run_in_child([&] { return long_text; }).text, long_text);
  EXPECT_EQ(run_in_child([] { return std::string(); }).error, "");
  EXPECT_NE(run_in_child([] { return std::to_string(::getpid()); }).text, std::to_string(here));
}

TEST(Child, ItsErrorsAreThrown) {
  try {
    run_in_child([]() -> std::string { throw Error("a", "b", "c"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a: b; c");
    EXPECT_EQ(exit_code_of(error), kInputExit);
  }
  try {
    run_in_child([]() -> std::string { throw Failure("a", "b", "c", 77); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a: b; c");
    EXPECT_EQ(exit_code_of(error), 77);
  }
}

TEST(Child, ACrashIsReported) {
  const ChildOutcome outcome = run_in_child([]() -> std::string {
    ::signal(SIGSEGV, SIG_DFL);  // not the sanitizer's
    ::raise(SIGSEGV);
    return "not reached";
  });
  EXPECT_EQ(outcome.error, "crashed (SIGSEGV)");
  EXPECT_EQ(outcome.text, "");
  EXPECT_EQ(run_in_child([]() -> std::string { ::_exit(3); }).error, "crashed");
}

TEST(Child, EndlessWorkIsEnded) {
  const ChildOutcome outcome = run_in_child(
      [] {
        for (volatile int i = 0; i >= 0;) {
        }
        return std::string();
      },
      {.cpu_s = 1});
  EXPECT_EQ(outcome.error, "took more than 1 s");
  const ChildOutcome waiting = run_in_child(
      [] {
        for (;;) ::pause();
        return std::string();
      },
      {.wall_s = 1});
  EXPECT_EQ(waiting.error, "did not end within 1 s");
}

TEST(Child, TooMuchMemoryIsReported) {
  const ChildOutcome outcome =
      run_in_child([]() -> std::string { throw std::bad_alloc(); }, {.memory_bytes = 1 << 20});
  EXPECT_EQ(outcome.error, "needed more than 1 MiB of memory");
}

}  // namespace
}  // namespace plait
