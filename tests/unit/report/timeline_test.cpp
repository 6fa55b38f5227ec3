// SPDX-License-Identifier: BSD-3-Clause
// The timeline's data against the trace: shares of time, events, messages, windows.
#include "report/timeline.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "base/json_file.hpp"
#include "column_values.hpp"
#include "made_trace.hpp"
#include "page_events.hpp"
#include "report/timeline_bins.hpp"
#include "report/timeline_columns.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using trace::MadeTrace;

const trace::PlaceNames kNoNames{{"a place", "another", "a third"}, {"solve", "inner"}, {}};

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double share(const std::array<std::vector<double>, kTimeCategories>& sums, TimeCategory category) {
  return sum(sums[static_cast<std::size_t>(category)]) * 1e-9;
}

/// Rank 0 computes 1 s and sends; rank 1 receives from 0.25 s on, then both reduce.
trace::Trace two_ranks() {
  MadeTrace made(2);
  made.compute(0, 1.0);
  made.compute(1, 0.25);
  made.from("solve");
  made.send(0, 1, 4096, 0.05, 7);
  made.receive(1, 0, 8192, 0.85, 7);
  made.collective(0, "MPI_Allreduce", 8, 0.1);
  made.collective(1, "MPI_Allreduce", 8, 0.05);
  return made.take();
}

TEST(TimelineColumns, AreLittleEndianBase128InBase64) {
  ColumnBytes column;
  column.add(0);
  column.add(127);
  column.add(128);
  column.add_signed(-1);
  column.add_signed(64);
  EXPECT_EQ(column.bytes(), std::string_view("\x00\x7f\x80\x01\x01\x80\x01", 7));
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(TimelineBins, DivideARanksTimeAmongWhatItDid) {
  const trace::Trace trace = two_ranks();
  const TimelineWindow run = run_of(trace);
  const auto wait = [](std::uint32_t rank, std::uint32_t, std::uint32_t event) -> std::int64_t {
    return rank == 1 && event == 0 ? 750'000'000 : 0;
  };
  const auto sums = fill_bins(trace, 1, run, 64, wait);
  EXPECT_NEAR(share(sums, TimeCategory::computation), 0.25, 1e-6);
  EXPECT_NEAR(share(sums, TimeCategory::waiting), 0.75, 1e-6);
  EXPECT_NEAR(share(sums, TimeCategory::point_to_point), 0.1, 1e-6);
  EXPECT_NEAR(share(sums, TimeCategory::collective), 0.05, 1e-6);
  EXPECT_NEAR(sums[0][0], static_cast<double>(run.end) / 64, 1.0)
      << "the first bin is all computation";
}

TEST(Timeline, CountsFromTheFirstEndOfInitAndOmitsEarlierEvents) {
  MadeTrace made(2);
  made.other(0, "MPI_Init", 0.5);
  made.other(1, "MPI_Init", 0.75);
  for (int rank = 0; rank < 2; ++rank) {
    made.compute(rank, 0.25);
    made.collective(rank, "MPI_Barrier", 0, rank == 0 ? 0.35 : 0.1);
    made.other(rank, "MPI_Finalize", 0.2);
  }
  trace::Trace trace = made.take();
  trace.ranks[0].begin = 500'000'000;
  trace.ranks[1].begin = 750'000'000;
  for (trace::Rank& rank : trace.ranks) rank.end = 1'100'000'000;
  const json page = timeline_to_json(trace, kNoNames, nullptr);
  EXPECT_EQ(page["end_ns"], 600'000'000);
  EXPECT_EQ(page["ranks"][0]["begin_ns"], 0);
  EXPECT_EQ(page["ranks"][1]["begin_ns"], 250'000'000);
  EXPECT_EQ(page["events"], 3) << "a barrier each, and the later Init";
  const auto events = events_of(page, page["ranks"][0]["streams"][0]["calls"]);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].begin, 250'000'000);
  EXPECT_EQ(events_of(page, page["ranks"][1]["streams"][0]["calls"])[0].begin, -500'000'000);
}

TEST(TimelineBins, PutOpenmpIdleTimeAtTheEndOfAThreadsPart) {
  trace::Trace trace = two_ranks();
  trace::Rank& rank = trace.ranks[0];
  trace.shapes.push_back({});
  trace.shapes.back().kind = trace::EventKind::work;
  rank.streams.resize(2);
  trace::Event part;
  part.shape = static_cast<std::uint32_t>(trace.shapes.size() - 1);
  part.begin = 0;
  part.end = 800'000'000;
  part.bytes = 200'000'000;
  rank.streams[1].events.push_back(part);
  const auto sums = fill_bins(trace, 0, {0, 1'000'000'000}, 100, nullptr);
  const auto& idle = sums[static_cast<std::size_t>(TimeCategory::openmp_idle)];
  EXPECT_NEAR(sum(idle), 2e8, 1) << "the only thread with a part";
  EXPECT_EQ(idle[59], 0);
  EXPECT_NEAR(idle[60], 1e7, 1);

  // With the region known, the thread is idle in it before and after its part, too.
  trace.shapes.push_back({});
  trace.shapes.back().kind = trace::EventKind::parallel;
  trace::Event region;
  region.shape = static_cast<std::uint32_t>(trace.shapes.size() - 1);
  region.end = 900'000'000;
  trace.ranks[0].streams[0].events.push_back(region);
  const auto all = fill_bins(trace, 0, {0, 1'000'000'000}, 100, nullptr);
  EXPECT_NEAR(share(all, TimeCategory::openmp_idle), 0.3, 1e-6);
  EXPECT_NEAR(share(all, TimeCategory::computation), 0.7, 1e-6);
}

TEST(Timeline, HasEachCallWithItsShape) {
  const json page = timeline_to_json(two_ranks(), kNoNames, nullptr);
  EXPECT_EQ(page["schema"], "plait-timeline");
  EXPECT_EQ(page["events"], 4);
  EXPECT_EQ(page["kept_events"], 4);
  EXPECT_EQ(page["knows_waiting"], false);
  const auto events = events_of(page, page["ranks"][1]["streams"][0]["calls"]);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].begin, 250'000'000);
  EXPECT_EQ(events[0].duration, 850'000'000);
  EXPECT_EQ(events[0].shape[0], "receive");
  EXPECT_EQ(events[0].shape[1], "point_to_point");
  EXPECT_EQ(page["functions"][events[0].shape[2].get<std::size_t>()], "MPI_Recv");
  EXPECT_EQ(events[0].shape[5], 0) << "the partner's world rank";
  EXPECT_EQ(events[0].shape[6], 7) << "the tag";
  EXPECT_EQ(events[1].shape[1], "collective");
}

TEST(Timeline, HasMessagesFromTheSendToTheEndOfTheReceive) {
  const json page = timeline_to_json(two_ranks(), kNoNames, nullptr);
  ASSERT_EQ(page["messages"]["count"], 1);
  const std::vector<std::uint64_t> values = values_of(page["messages"]["columns"]);
  ASSERT_EQ(values.size(), 6U);
  EXPECT_EQ(unzigzag(values[0]), 1'000'000'000);
  EXPECT_EQ(unzigzag(values[1]), 100'000'000);
  EXPECT_EQ(values[2], 0U);
  EXPECT_EQ(values[3], 1U);
  EXPECT_EQ(unzigzag(values[4]), 4096);
  EXPECT_EQ(unzigzag(values[5]), 7);
}

TEST(Timeline, PutsOuterRegionsBeforeThoseWithin) {
  MadeTrace made(1);
  made.compute(0, 0.1);
  made.region(0, "inner", 0.0);
  made.compute(0, 0.1);
  made.region(0, "outer", 0.0);
  const json page = timeline_to_json(made.take(), {{""}, {"inner", "outer"}, {}}, nullptr);
  const auto regions = events_of(page, page["ranks"][0]["streams"][0]["regions"]);
  ASSERT_EQ(regions.size(), 2U);
  EXPECT_GT(regions[0].duration, regions[1].duration);
  EXPECT_EQ(page["ranks"][0]["streams"][0]["calls"]["count"], 0);
}

TEST(Timeline, KeepsWindowsOfATraceWithTooManyEvents) {
  const trace::Trace trace = many_barriers();
  TimelineLimits limits;
  limits.events = 600;
  const json page = timeline_to_json(trace, kNoNames, nullptr, {}, limits);
  EXPECT_EQ(page["events"], 6000);
  const std::uint64_t kept = page["kept_events"];
  EXPECT_GT(kept, 500U);
  EXPECT_LE(kept, 620U);
  ASSERT_EQ(page["windows"].size(), 3U);
  EXPECT_EQ(page["windows"][0][0], 0);
  EXPECT_EQ(page["windows"][2][1], page["end_ns"]);
  EXPECT_EQ(page["bins"], 4096) << "the overview stays whole";
}

TEST(Timeline, HasFewerBinsForMoreRanks) {
  TimelineLimits limits;
  limits.cells = 1024;
  limits.few = 16;
  EXPECT_EQ(timeline_to_json(two_ranks(), kNoNames, nullptr, {}, limits)["bins"], 512);
  limits.cells = 1;
  EXPECT_EQ(timeline_to_json(two_ranks(), kNoNames, nullptr, {}, limits)["bins"], 16);
}

// The page's tests read the same file (tests/web/fixtures/timeline.mjs).
TEST(Timeline, IsAsThePageReadsIt) {
  TimelineLimits limits;
  limits.bins = 64;
  const auto wait = [](std::uint32_t rank, std::uint32_t, std::uint32_t event) -> std::int64_t {
    return rank == 1 && event == 0 ? 750'000'000 : 0;
  };
  const json page = timeline_to_json(two_ranks(), kNoNames, wait, {}, limits);
  const std::filesystem::path file =
      std::filesystem::path(PLAIT_TEST_DATA) / "timeline" / "two_ranks.json";
  if (std::getenv("PLAIT_UPDATE_GOLDEN") != nullptr) write_json_file(file, page);
  EXPECT_EQ(json::parse(read_text_file(file)), page);
}

TEST(Timeline, OfAnEmptyTraceIsOnePage) {
  const json page = timeline_to_json(trace::Trace{}, {}, nullptr);
  EXPECT_EQ(page["ranks"].size(), 0U);
  EXPECT_EQ(page["end_ns"], 1);
}

}  // namespace
}  // namespace plait::report
