// SPDX-License-Identifier: BSD-3-Clause
// Progress is shown on a terminal; elsewhere only the parts of a measurement.
#include "text/progress.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>
#include <string>

namespace plait {
namespace {

/// Redirects standard error to a file while it lives.
class StandardError {
public:
  explicit StandardError(int file) : kept_(::dup(STDERR_FILENO)) { ::dup2(file, STDERR_FILENO); }
  ~StandardError() {
    ::dup2(kept_, STDERR_FILENO);
    ::close(kept_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

private:
  int kept_;
};

/// Reads until a text arrives, for at most half a minute; an empty text: what is available now.
std::string read_until(int file, const std::string& text) {
  std::string all;
  for (int tries = 0; tries < 300 && (text.empty() || all.find(text) == std::string::npos);
       ++tries) {
    pollfd ready{file, POLLIN, 0};
    if (::poll(&ready, 1, text.empty() ? 0 : 100) <= 0) {
      if (text.empty()) break;
      continue;
    }
    char bytes[256];
    const ssize_t count = ::read(file, bytes, sizeof bytes);
    if (count <= 0) break;
    all.append(bytes, static_cast<std::size_t>(count));
  }
  return all;
}

/// "[N of 22 s]" in place of "[  3 of 22 s]".
std::string without_seconds(const std::string& text) {
  return std::regex_replace(text, std::regex("\\[ *[0-9]+ of"), "[N of");
}

struct Terminal {
  Terminal() {
    EXPECT_EQ(::openpty(&reader, &writer, nullptr, nullptr, nullptr), 0);
    ::setenv("TERM", "xterm", 1);
  }
  ~Terminal() {
    ::close(reader);
    ::close(writer);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  int reader = -1, writer = -1;
};

TEST(Progress, ShowsTheActivityOnATerminalAndClearsTheLine) {
  const Terminal terminal;
  const StandardError error(terminal.writer);
  ASSERT_TRUE(can_update_a_line());
  {
    Progress progress("reading the trace");
    EXPECT_NE(read_until(terminal.reader, "reading the trace, 1 s").find("1 s"), std::string::npos);
    progress.part("replaying");
    EXPECT_NE(read_until(terminal.reader, "\r\033[Kreplaying, ").find("replaying"),
              std::string::npos);
  }
  const std::string last = read_until(terminal.reader, "");
  EXPECT_TRUE(last.ends_with("\r\033[K")) << last;
}

TEST(Progress, WritesNothingWhenItIsQuiet) {
  const Terminal terminal;
  const StandardError error(terminal.writer);
  {
    const Progress progress("reading the trace", true);
    ::usleep(1'200'000);
  }
  EXPECT_EQ(read_until(terminal.reader, ""), "");
}

TEST(Progress, WithABudgetShowsEachPartAtOnce) {
  const Terminal terminal;
  const StandardError error(terminal.writer);
  {
    Progress progress("measuring", 22.0);
    progress.part("STREAM");
    const std::string line = "\r\033[Kmeasuring [N of 22 s] STREAM";
    EXPECT_EQ(without_seconds(read_until(terminal.reader, "STREAM")), line);
    const Progress::Counting counting(progress);
    EXPECT_EQ(without_seconds(read_until(terminal.reader, "STREAM")), line);
  }
  EXPECT_TRUE(read_until(terminal.reader, "").ends_with("\r\033[K"));
}

TEST(Progress, WithABudgetWritesLinesElsewhere) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  {
    const StandardError error(pipe[1]);
    Progress progress("measuring", 22.0);
    progress.part("STREAM");
    const Progress::Counting counting(progress);
    progress.part("paths");
  }
  ::close(pipe[1]);
  EXPECT_EQ(without_seconds(read_until(pipe[0], "paths\n")),
            "measuring [N of 22 s] STREAM\nmeasuring [N of 22 s] paths\n");
  ::close(pipe[0]);
}

TEST(Progress, WritesNothingElsewhere) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  {
    const StandardError error(pipe[1]);
    EXPECT_FALSE(can_update_a_line());
    const Progress progress("reading the trace");
    ::usleep(1'200'000);
  }
  ::close(pipe[1]);
  char byte = 0;
  EXPECT_EQ(::read(pipe[0], &byte, 1), 0);
  ::close(pipe[0]);
}

}  // namespace
}  // namespace plait
