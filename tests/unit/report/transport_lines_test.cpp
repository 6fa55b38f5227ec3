// SPDX-License-Identifier: BSD-3-Clause
// Tests of the lines about a transport below a report.
#include "report/transport_lines.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "plait/error.hpp"
#include "trace/transport_page.h"

namespace plait::report {
namespace {

std::string content_of(const plait_transport_page& page, std::size_t processes) {
  const std::size_t bytes =
      offsetof(plait_transport_page, process) + processes * sizeof(plait_transport_process);
  return {reinterpret_cast<const char*>(&page), bytes};
}

plait_transport_page two_ranks() {
  plait_transport_page page{};
  page.magic = PLAIT_TRANSPORT_MAGIC;
  page.version = PLAIT_TRANSPORT_VERSION;
  page.state = PLAIT_TRANSPORT_FORMED;
  page.members = 2;
  std::strcpy(page.host, "node1");
  std::strcpy(page.design, "orq");
  for (int i = 0; i < 2; ++i) {
    plait_transport_process& rank = page.process[i];
    rank.in_use = 1;
    rank.sent = 600;
    rank.sent_bytes = 1 << 20;
    rank.pulled = 2;
  }
  return page;
}

std::string lines_of(const plait_transport_page& page) {
  std::string text;
  for (const std::string& line : transport_lines({parse_transport(content_of(page, 2), "x")})) {
    EXPECT_LE(line.size(), 80u);
    text += line + "\n";
  }
  return text;
}

TEST(TransportLines, CountWhatTheRanksSent) {
  EXPECT_EQ(lines_of(two_ranks()),
            "Transport: orq; 2 ranks sent 1200 messages (2 MiB); 4 were read in the sender's\n"
            "           memory\n");
}

TEST(TransportLines, SayHowTheRanksWaited) {
  plait_transport_page page = two_ranks();
  page.process[0].pulled = page.process[1].pulled = 0;
  page.process[0].streamed = 3;
  page.process[1].yields = 40;
  page.process[1].sleeps = 1;
  EXPECT_EQ(lines_of(page),
            "Transport: orq; 2 ranks sent 1200 messages (2 MiB); 3 went through a cache in\n"
            "           pieces; yielded 40 times; slept 1 time\n");
}

TEST(TransportLines, SayWhyItWasNotTaken) {
  plait_transport_page page = two_ranks();
  page.process[0].in_use = page.process[1].in_use = 0;
  EXPECT_EQ(lines_of(page),
            "Transport: the MPI library's own, not orq: it was offered, and not taken\n");
  page.state = PLAIT_TRANSPORT_REFUSED;
  std::strcpy(page.reason, "not all ranks are on one node");
  EXPECT_EQ(lines_of(page),
            "Transport: the MPI library's own, not orq: not all ranks are on one node\n");
}

TEST(TransportLines, NameTheNodesOfSeveral) {
  const NodeTransport job = parse_transport(content_of(two_ranks(), 2), "x");
  const auto lines = transport_lines({job, job});
  EXPECT_EQ(lines.front().substr(0, 20), "Transport on node1: ");
}

TEST(TransportLines, RefuseDamagedFiles) {
  const std::string content = content_of(two_ranks(), 2);
  EXPECT_THROW(parse_transport(content.substr(0, 50), "x"), Error);
  EXPECT_THROW(parse_transport(content.substr(0, content.size() - 1), "x"), Error);
  EXPECT_THROW(parse_transport("x" + content, "x"), Error);
}

}  // namespace
}  // namespace plait::report
