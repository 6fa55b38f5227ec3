// SPDX-License-Identifier: BSD-3-Clause
// What the page's timeline keeps of traces with too many ranks, events or messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/json_file.hpp"
#include "made_trace.hpp"
#include "page_events.hpp"
#include "report/page_analysis.hpp"
#include "report/timeline.hpp"
#include "report/timeline_focus.hpp"
#include "report/timeline_rows.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using trace::MadeTrace;

const trace::PlaceNames kNoNames{{"a place", "another", "a third"}, {}, {}};

/// Each rank computes for (rank + 1) ms, receives from the previous one and sends to the next.
trace::Trace ring(int ranks, int ranks_per_node, int rounds = 1) {
  MadeTrace made(ranks, ranks_per_node);
  made.from("solve");
  for (int round = 0; round < rounds; ++round) {
    for (int rank = 0; rank < ranks; ++rank) {
      made.compute(rank, 1e-3 * (rank + 1));
      made.send(rank, (rank + 1) % ranks, 64, 1e-4, round);
    }
    for (int rank = 0; rank < ranks; ++rank) {
      made.receive(rank, (rank + ranks - 1) % ranks, 64, 1e-2, round);
    }
  }
  return made.take();
}

std::vector<std::pair<int, int>> ends_of(const std::vector<TimelineRow>& rows) {
  std::vector<std::pair<int, int>> ends;
  for (const TimelineRow& row : rows) ends.emplace_back(row.first, row.last);
  return ends;
}

using Ends = std::vector<std::pair<int, int>>;

TEST(TimelineRows, AreOneForEachOfFewRanks) {
  EXPECT_EQ(ends_of(timeline_rows(ring(3, 0), {1}, 4)), (Ends{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(TimelineRows, AreOfTracedRanksOnly) {
  trace::Trace trace = ring(12, 0);
  for (const std::size_t rank : {1, 2, 3, 5, 9, 10, 11}) trace.ranks[rank].left_out = true;
  EXPECT_EQ(ends_of(timeline_rows(trace, {}, 8)), (Ends{{0, 1}, {4, 5}, {6, 7}, {7, 8}, {8, 9}}));
  EXPECT_EQ(ends_of(timeline_rows(trace, {}, 3)), (Ends{{0, 5}, {6, 8}, {8, 9}}));
  const json timeline = timeline_to_json(trace, kNoNames, nullptr, {}, {.ranks = 3});
  EXPECT_EQ(timeline["ranks"][0]["count"], 2);
  EXPECT_EQ(timeline["ranks"][0]["last_rank"], 4);
}

TEST(TimelineRows, AreSharedByTheManyRanksOfANode) {
  const trace::Trace trace = ring(12, 4);
  EXPECT_EQ(ends_of(timeline_rows(trace, {}, 4)), (Ends{{0, 4}, {4, 8}, {8, 12}}));
  EXPECT_EQ(ends_of(timeline_rows(trace, {6, 8}, 4)),
            (Ends{{0, 4}, {4, 6}, {6, 7}, {7, 8}, {8, 9}, {9, 12}}))
      << "what is left of a node keeps a row";
  std::vector<int> all;
  for (int rank = 0; rank < 100; ++rank) all.push_back(rank);
  EXPECT_LE(timeline_rows(ring(100, 0), all, 10).size(), kMostOwnRows + 10 + 1);
}

TEST(TimelineRows, OfSeveralRanksHaveTheMeanOfTheirShares) {
  TimelineLimits limits;
  limits.ranks = 2;
  limits.bins = 1;
  const json page = timeline_to_json(ring(6, 0), kNoNames, nullptr, {{}, {4}}, limits);
  ASSERT_EQ(page["ranks"].size(), 4U);
  EXPECT_EQ(page["ranks"][0]["rank"], 0);
  EXPECT_EQ(page["ranks"][0]["last_rank"], 2);
  EXPECT_EQ(page["ranks"][0]["count"], 3);
  EXPECT_TRUE(page["ranks"][0]["streams"].empty());
  EXPECT_FALSE(page["ranks"][2].contains("last_rank"));
  EXPECT_EQ(page["ranks"][2]["streams"][0]["calls"]["count"], 2);
  const auto computing = [&](std::size_t row) {
    return static_cast<double>(values_of(page["ranks"][row]["bins"])[0]) / 16383;
  };
  const double end_ms = page["end_ns"].get<double>() * 1e-6;
  EXPECT_NEAR(computing(0), 2 / end_ms, 1e-3) << "of 1, 2 and 3 ms";
  EXPECT_NEAR(computing(2), 5 / end_ms, 1e-3);
  EXPECT_EQ(page["kept_events"], 2 * 3) << "rows of one rank: 3, 4 and 5";
}

TEST(TimelineRows, MessagesGoBetweenRowsOneOfWhichIsOfOneRank) {
  TimelineLimits limits;
  limits.ranks = 2;
  const json page = timeline_to_json(ring(9, 0), kNoNames, nullptr, {{}, {5}}, limits);
  const std::vector<PageMessage> messages = messages_of(page);
  ASSERT_EQ(page["ranks"].size(), 3U) << "0-4, 5, 6-8";
  std::vector<std::pair<int, int>> ends;
  for (const PageMessage& message : messages) ends.emplace_back(message.sender, message.receiver);
  std::sort(ends.begin(), ends.end());
  EXPECT_EQ(ends, (Ends{{0, 1}, {1, 2}})) << "not 8 to 0";
  EXPECT_EQ(page["all_messages"], 9);
}

// The page's tests read the same file (tests/web/fixtures/timeline.mjs).
TEST(TimelineRows, AreAsThePageReadsThem) {
  TimelineLimits limits;
  limits.ranks = 4;
  limits.bins = 16;
  const json page = timeline_to_json(ring(12, 4), kNoNames, nullptr, {{}, {6}}, limits);
  const std::filesystem::path file =
      std::filesystem::path(PLAIT_TEST_DATA) / "timeline" / "shared_rows.json";
  if (std::getenv("PLAIT_UPDATE_GOLDEN") != nullptr) write_json_file(file, page);
  EXPECT_EQ(json::parse(read_text_file(file)), page);
}

TEST(Timeline, KeepsMessagesThatRanksWaitedForLongest) {
  const trace::Trace trace = ring(4, 0, 8);
  const auto wait = [](std::uint32_t rank, std::uint32_t, std::uint32_t event) -> std::int64_t {
    return rank == 2 ? 1000 + event : 0;
  };
  TimelineLimits limits;
  limits.messages = 12;
  const json page = timeline_to_json(trace, kNoNames, wait, {}, limits);
  EXPECT_EQ(page["all_messages"], 32);
  const std::vector<PageMessage> messages = messages_of(page);
  ASSERT_EQ(messages.size(), 12U);
  EXPECT_EQ(std::count_if(messages.begin(), messages.end(),
                          [](const PageMessage& message) { return message.receiver == 2; }),
            8);
  EXPECT_TRUE(std::is_sorted(messages.begin(), messages.end(),
                             [](const auto& a, const auto& b) { return a.begin < b.begin; }));
}

TEST(Timeline, KeepsWindowsAroundWhatMatters) {
  const trace::Trace trace = many_barriers();
  TimelineLimits limits;
  limits.events = 800;
  const std::int64_t at = 66'000'000;
  const json page = timeline_to_json(trace, kNoNames, nullptr, {{at}, {}}, limits);
  ASSERT_EQ(page["windows"].size(), 4U) << "begin, middle, end, and there";
  EXPECT_LT(page["windows"][1][0], at);
  EXPECT_GT(page["windows"][1][1], at);
  EXPECT_LE(page["kept_events"], 820);
}

TEST(Timeline, KeepsFewerEventsIfTheyTakeTooManyBytes) {
  const trace::Trace trace = ring(4, 0, 500);
  const auto bytes_of_columns = [](const json& page) {
    std::size_t bytes = page["messages"]["columns"].get<std::string>().size();
    for (const json& rank : page["ranks"]) {
      bytes += rank["streams"][0]["calls"]["columns"].get<std::string>().size();
    }
    return bytes;
  };
  TimelineLimits limits;
  EXPECT_EQ(timeline_to_json(trace, kNoNames, nullptr, {}, limits)["kept_events"], 4000);
  limits.bytes = 10'000;
  const json page = timeline_to_json(trace, kNoNames, nullptr, {}, limits);
  EXPECT_LE(bytes_of_columns(page), limits.bytes);
  EXPECT_GT(bytes_of_columns(page), limits.bytes / 2);
  EXPECT_LT(page["kept_events"], 1500);
}

TEST(TimelineFocus, IsOnTheLongestWaitTheWorstPhaseAndTheRanksInvolved) {
  const trace::Trace trace = ring(4, 0);
  analysis::Waits waits;
  waits.of = {{{10, 20, 0}}, {{30, 90, 1}, {100, 110, 2}}};
  const json analysis{
      {"phases",
       {{{"begin_s", 0}, {"end_s", 1}, {"efficiencies", {{"parallel", 0.5}}}},
        {{"begin_s", 1}, {"end_s", 3}, {"efficiencies", {{"parallel", 0.6}}}},
        {{"begin_s", 3}, {"end_s", 9}, {"efficiencies", {{"parallel", nullptr}}}}}},
      {"causes", {{{"rank", 3}, {"delayed", {0, 1}}}, {{"rank", nullptr}, {"delayed", {2}}}}},
      {"waits", {{{"worst_rank", 1}}}},
      {"critical_path", {{"owners", {{{"rank", 3}}, {{"rank", 2}}}}}},
      {"patterns", json::array()}};
  const TimelineFocus focus = timeline_focus(trace, end_of_longest_wait(waits), analysis, {});
  EXPECT_EQ(focus.times, (std::vector<std::int64_t>{90, 2'000'000'000}));
  EXPECT_EQ(focus.ranks, (std::vector<int>{3, 0, 1, 2}));
}

json analysis_of(std::size_t ranks) {
  json value{
      {"waiting_s", std::vector<double>(ranks, 0.5)}, {"causes", json::array()},
      {"messages", {{"pairs", json::array()}}},       {"critical_path", {{"parts", json::array()}}},
      {"imbalance", {{"ranks", json::array()}}},      {"notes", json::array()}};
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    value["imbalance"]["ranks"].push_back(
        {{"rank", rank}, {"calculation_s", static_cast<double>(rank)}});
    value["causes"].push_back({{"rank", rank}, {"seconds", static_cast<double>(ranks - rank)}});
  }
  return value;
}

TEST(PageAnalysis, OfFewRanksIsWhole) {
  EXPECT_EQ(page_analysis(analysis_of(256)), analysis_of(256));
  EXPECT_EQ(page_analysis(nullptr), nullptr);
}

TEST(PageAnalysis, OfManyRanksHasMeansAndTheLargestEntries) {
  const json page = page_analysis(analysis_of(1024));
  EXPECT_FALSE(page.contains("waiting_s"));
  EXPECT_EQ(page["rank_count"], 1024);
  ASSERT_EQ(page["imbalance"]["ranks"].size(), 256U);
  EXPECT_EQ(page["imbalance"]["ranks"][1],
            (json{{"rank", 4}, {"last_rank", 7}, {"calculation_s", 5.5}}));
  ASSERT_EQ(page["causes"].size(), 256U);
  EXPECT_EQ(page["causes"][255]["rank"], 255);
  EXPECT_EQ(page["notes"],
            (json{"the page has the 256 longest of 1024 causes of waiting; analysis.json has all",
                  "each bar of the imbalance diagram is the mean of 4 ranks; analysis.json has "
                  "all"}));
}

}  // namespace
}  // namespace plait::report
