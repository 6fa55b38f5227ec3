// SPDX-License-Identifier: BSD-3-Clause
// Tests of the lines about waiting below a report.
#include "report/wait_lines.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "plait/error.hpp"
#include "trace/wait_page.h"

namespace plait::report {
namespace {

std::string content_of(const plait_wait_page& page, std::size_t processes) {
  const std::size_t bytes =
      offsetof(plait_wait_page, process) + processes * sizeof(plait_wait_process);
  return {reinterpret_cast<const char*>(&page), bytes};
}

plait_wait_page two_ranks() {
  plait_wait_page page{};
  page.magic = PLAIT_WAIT_MAGIC;
  page.version = PLAIT_WAIT_VERSION;
  page.policy = PLAIT_WAIT_AUTOMATIC;
  page.processes = 3;
  std::strcpy(page.host, "node1");
  for (int i = 0; i < 2; ++i) {
    plait_wait_process& rank = page.process[i];
    rank.ready = 1;
    rank.polls = 500;
    rank.pauses = 250;
    rank.yields = 200;
    rank.sleeps = 50;
    rank.slept_ns = 1'000'000'000;
  }
  page.process[1].disturbances = 2;
  return page;
}

TEST(WaitLines, CountWhatTheRanksDid) {
  const NodeWaiting node = parse_waiting(content_of(two_ranks(), 3), "x.wait");
  EXPECT_EQ(node.host, "node1");
  EXPECT_EQ(node.ranks, 2);  // the third had not begun
  const auto lines = wait_lines({node});
  std::string text;
  for (const std::string& line : lines) {
    EXPECT_LE(line.size(), 80u);
    text += line + "\n";
  }
  EXPECT_EQ(text,
            "Waiting: automatic; 2 ranks polled 1000 times in vain; paused 50 %, yielded\n"
            "         40 %, slept 10 % (2.00 s in all); noticed other programs on the cores 2\n"
            "         times\n");
}

TEST(WaitLines, OfSeveralNodesNameThem) {
  NodeWaiting node = parse_waiting(content_of(two_ranks(), 3), "x.wait");
  const auto lines = wait_lines({node, node});
  EXPECT_TRUE(lines.front().starts_with("Waiting on node1: ")) << lines.front();
}

TEST(WaitLines, SayWhenNothingWasChanged) {
  plait_wait_page page = two_ranks();
  page.process[0].polls = page.process[1].polls = 0;
  const auto lines = wait_lines({parse_waiting(content_of(page, 3), "x.wait")});
  EXPECT_NE(lines.front().find("never gave its CPU away"), std::string::npos) << lines.front();
}

TEST(WaitLines, RefuseDamagedFiles) {
  EXPECT_THROW(parse_waiting("", "x.wait"), Error);
  EXPECT_THROW(parse_waiting(content_of(two_ranks(), 2), "x.wait"), Error);
  plait_wait_page page = two_ranks();
  page.policy = 77;
  EXPECT_THROW(parse_waiting(content_of(page, 3), "x.wait"), Error);
}

}  // namespace
}  // namespace plait::report
