// SPDX-License-Identifier: BSD-3-Clause
// The samples on the page's timeline, as the page reads them.
#include "report/timeline_samples.hpp"

#include <gtest/gtest.h>

#include "column_values.hpp"
#include "made_trace.hpp"
#include "report/timeline.hpp"
#include "report/timeline_windows.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using samples::State;

/// Two ranks that compute for a second; the run begins after that of the trace.
trace::Trace two_ranks() {
  trace::MadeTrace made(2);
  for (int rank = 0; rank < 2; ++rank) {
    made.compute(rank, 1);
    made.collective(rank, "MPI_Barrier", 0, 0.5);
  }
  trace::Trace trace = made.take();
  for (trace::Rank& rank : trace.ranks) rank.begin = 100;
  return trace;
}

samples::TracedSamples sampled(const trace::Trace& trace) {
  samples::TracedSamples of;
  of.tree.rate_hz = 250;
  of.tree.threads = {{0, 0, "main", 3, 0, 0, 1}, {1, 3, "openmp", 1, 0, 0, 1}};
  const std::int64_t end = trace.ranks[0].end;
  of.lanes = {{0,
               0,
               0,
               1000,
               {{99, 1, State::code, 1},
                {1100, 7, State::code, 1},
                {2000, 5, State::mpi, 4},
                {end, 5, State::waiting, 1},
                {end + 1, 2, State::code, 1}}},
              {1, trace::kNone, 1, 77, {{5000, 3, State::openmp, 1}}}};
  return of;
}

json timeline_of(const trace::Trace& trace, std::uint64_t most) {
  json timeline = timeline_to_json(trace, {}, nullptr);
  add_samples(trace, sampled(trace), timeline, most);
  return timeline;
}

TEST(TimelineSamples, AreColumnsOfTheirStreams) {
  const trace::Trace trace = two_ranks();
  const json timeline = timeline_of(trace, 1000);
  EXPECT_EQ(timeline["sample_ns"], 4e6);
  EXPECT_EQ(timeline["sample_step"], 1);
  const json& of_main = timeline["ranks"][0]["streams"][0]["samples"];
  ASSERT_EQ(of_main["count"], 3);  // those before and after the run are left out
  const std::vector<std::uint64_t> values = values_of(of_main["columns"]);
  ASSERT_EQ(values.size(), 12);
  EXPECT_EQ(unzigzag(values[0]), 1000);
  EXPECT_EQ(unzigzag(values[1]), 900);
  EXPECT_EQ(unzigzag(values[2]), trace.ranks[0].end - 2000);
  EXPECT_EQ(unzigzag(values[3]), 7);
  EXPECT_EQ(unzigzag(values[4]), -2);
  EXPECT_EQ(unzigzag(values[5]), 0);
  EXPECT_EQ((std::vector<std::uint64_t>(values.begin() + 6, values.end())),
            (std::vector<std::uint64_t>{0, 1, 3, 1, 4, 1}));
}

TEST(TimelineSamples, ThreadsWithoutEventsGetAStream) {
  const json timeline = timeline_of(two_ranks(), 1000);
  const json& streams = timeline["ranks"][1]["streams"];
  ASSERT_EQ(streams.size(), 2);
  EXPECT_FALSE(streams[0].contains("samples"));
  EXPECT_EQ(streams[1]["tid"], 77);
  EXPECT_EQ(streams[1]["omp_thread"], 3);
  EXPECT_EQ(streams[1]["calls"]["count"], 0);
  EXPECT_EQ(streams[1]["samples"]["count"], 1);
}

TEST(TimelineSamples, OfTooManyEveryNthIsKept) {
  const json timeline = timeline_of(two_ranks(), 2);
  EXPECT_EQ(timeline["sample_step"], 2);
  const json& of_main = timeline["ranks"][0]["streams"][0]["samples"];
  ASSERT_EQ(of_main["count"], 2);
  EXPECT_EQ(unzigzag(values_of(of_main["columns"])[0]), 1000);
  EXPECT_EQ(timeline["ranks"][1]["streams"][1]["samples"]["count"], 1);
}

TEST(TimelineSamples, OfRanksThatShareARowAreLeftOut) {
  const trace::Trace trace = two_ranks();
  TimelineLimits limits;
  limits.ranks = 1;
  json timeline = timeline_to_json(trace, {}, nullptr, {}, limits);
  ASSERT_EQ(timeline["ranks"].size(), 1U);
  add_samples(trace, sampled(trace), timeline, 1000);
  EXPECT_TRUE(timeline["ranks"][0]["streams"].empty());
}

}  // namespace
}  // namespace plait::report
