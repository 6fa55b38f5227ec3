// SPDX-License-Identifier: BSD-3-Clause
// Tests of timelines that several processes make of their parts of a trace: the same bytes as of
// one.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "../analysis/random_run.hpp"
#include "../job_of_threads.hpp"
#include "../trace_part.hpp"
#include "analysis/lanes.hpp"
#include "analysis/message_ends.hpp"
#include "analysis/wait_states.hpp"
#include "report/timeline.hpp"
#include "report/timeline_focus.hpp"

namespace plait::report {
namespace {

using nlohmann::json;
using trace::Trace;

json timeline_of(const Trace& trace, const TimelineLimits& limits, Processes* processes) {
  const analysis::Lanes lanes = analysis::make_lanes(trace, 2, processes);
  const analysis::MessageEnds ends(trace, lanes, processes);
  const auto wait = [&](std::uint32_t rank, std::uint32_t stream, std::uint32_t event) {
    const trace::Event& of = trace.ranks[rank].streams[stream].events[event];
    return of.bytes > 4096 ? (of.end - of.begin) / 2 : 0;  // many are equal
  };
  const TimelineFocus focus{{trace.ranks[7].end / 3}, {64, 3, 150}};
  return timeline_to_json(trace, {}, wait, focus, limits, {2, processes, &ends});
}

class TimelineParts : public testing::TestWithParam<int> {
protected:
  /// Compares the timeline of parts with that of the whole trace.
  /// @returns it
  static json check(const Trace& trace, const TimelineLimits& limits) {
    const json alone = timeline_of(trace, limits, nullptr);
    json shared;
    plait::test::JobOfThreads(GetParam()).run([&](Processes& processes) {
      const Trace part = trace::part_of(trace, processes);
      json own = timeline_of(part, limits, &processes);
      if (processes.rank() == 0) {
        shared = std::move(own);
      } else {
        EXPECT_EQ(own, nullptr);
      }
    });
    EXPECT_TRUE(shared.dump() == alone.dump());
    for (const auto& [name, value] : alone.items()) {
      EXPECT_TRUE(shared[name] == value) << name;
    }
    return alone;
  }
};

TEST_P(TimelineParts, HaveAllEventsOfRowsOfOneRank) {
  const json page = check(analysis::test::random_run(1), {});
  EXPECT_EQ(page["ranks"].size(), static_cast<std::size_t>(analysis::test::kRandomRanks));
  EXPECT_EQ(page["kept_events"], page["events"]);
  EXPECT_EQ(page["messages"]["count"], page["all_messages"]);
}

TEST_P(TimelineParts, KeepTheSameEventsAndMessagesOfTooMany) {
  TimelineLimits limits;
  limits.events = 10'000;
  limits.messages = 500;
  const json page = check(analysis::test::random_run(2), limits);
  EXPECT_GT(page["windows"].size(), 1U);
  EXPECT_EQ(page["messages"]["count"], 500);
}

TEST_P(TimelineParts, ShareRowsOfRanksOfSeveralProcesses) {
  TimelineLimits limits;
  limits.ranks = 3;
  limits.messages = 50;
  const json page = check(analysis::test::random_run(3), limits);
  ASSERT_EQ(page["ranks"].size(), 9U);
  EXPECT_EQ(page["ranks"][2]["rank"], 4);
  EXPECT_EQ(page["ranks"][2]["last_rank"], 63);
  EXPECT_EQ(page["ranks"][5]["rank"], 67);
  EXPECT_EQ(page["ranks"][5]["last_rank"], 133);
  EXPECT_EQ(page["messages"]["count"], 50);
}

TEST_P(TimelineParts, TryFewerEventsTogetherUntilTheyFit) {
  TimelineLimits limits;
  limits.bytes = 40'000;
  const json page = check(analysis::test::random_run(4), limits);
  EXPECT_LT(page["kept_events"], page["events"]);
  EXPECT_LT(page["messages"]["count"], page["all_messages"]);
}

TEST_P(TimelineParts, AreAroundTheLongestWaitOfAll) {
  const Trace trace = analysis::test::random_run(5);
  const std::int64_t alone =
      end_of_longest_wait(analysis::find_waits(trace, analysis::make_lanes(trace)));
  EXPECT_GT(alone, 0);
  plait::test::JobOfThreads(GetParam()).run([&](Processes& processes) {
    const Trace part = trace::part_of(trace, processes);
    const analysis::Lanes lanes = analysis::make_lanes(part, 2, &processes);
    const analysis::Waits waits = analysis::find_waits(part, lanes, 2, &processes);
    EXPECT_EQ(end_of_longest_wait(waits, &processes), alone);
  });
}

INSTANTIATE_TEST_SUITE_P(Processes, TimelineParts, testing::Values(2, 3, 5));

}  // namespace
}  // namespace plait::report
