// SPDX-License-Identifier: BSD-3-Clause
// Tests of traces that are written with other times.
#include "trace/retime.hpp"

#include <gtest/gtest.h>

#include "synthetic_events.hpp"
#include "trace/trace.hpp"

namespace plait::trace {
namespace {

namespace fs = std::filesystem;
using test::RunFolder;
using test::SyntheticEvents;

/// Two ranks that send to each other and wait, with waiting for a CPU and words of all lengths.
void write_run(const fs::path& run) {
  for (int rank = 0; rank < 2; ++rank) {
    SyntheticEvents process(rank, 2);
    const auto send = process.shape(PLAIT_EVENT_ISEND, 1 - rank, 3);
    const auto receive = process.shape(PLAIT_EVENT_RECV, 1 - rank, 3);
    const auto wait = process.shape(PLAIT_EVENT_COMPLETE);
    const auto stall = process.shape(PLAIT_EVENT_CPU_WAIT);
    const auto region = process.shape(PLAIT_EVENT_REGION);
    for (std::uint32_t i = 0; i < 30; ++i) {
      if (i % 10 == 0) process.chunk(0, 3000 + 10'000 * i, 1 + i);
      process.event(send | PLAIT_SHAPE_BYTES, 10 + i % 7, 20, {i + 1});
      process.event(stall, 0, 0, {4, 0, 6, 0});
      process.event(receive, 300, 1000);
      process.event(wait, 5, 5, {1, 1});
      process.event(region, 5, 700);
    }
    process.write(run);
  }
}

/// The recorded times, `factor` times as long.
EventTimes scaled(const Trace& trace, double factor) {
  EventTimes times;
  for (const Rank& rank : trace.ranks) {
    auto& of = times.emplace_back();
    for (const Event& event : rank.streams.front().events) {
      const auto scale = [&](std::int64_t ns) {
        return static_cast<double>(rank.begin) + factor * static_cast<double>(ns - rank.begin);
      };
      const bool region = trace.shape(event).kind == EventKind::region;
      of.emplace_back(region ? -1 : scale(event.begin), region ? -1 : scale(event.end));
    }
  }
  return times;
}

TEST(Retime, KeepsWhatHappenedAndChangesWhen) {
  for (const double factor : {1.0, 3.0, 1e7}) {  // the last needs two words per time
    const RunFolder run("retime");
    write_run(run.path());
    const Trace before = read_trace(run.path());
    const fs::path to = run.path() / "replay";
    write_retimed(run.path(), before, scaled(before, factor), to / "trace");
    const Trace after = read_trace(to);
    EXPECT_TRUE(after.damage.empty()) << after.damage;
    EXPECT_EQ(after.messages.size(), before.messages.size());
    EXPECT_EQ(after.shapes.size(), before.shapes.size());
    for (std::size_t r = 0; r < before.ranks.size(); ++r) {
      const Rank& old = before.ranks[r];
      const Rank& now = after.ranks[r];
      ASSERT_EQ(now.streams.front().events.size(), old.streams.front().events.size());
      EXPECT_TRUE(now.streams.front().cpu_waits.empty());
      EXPECT_EQ(now.operations.size(), old.operations.size());
      for (std::size_t i = 0; i < old.streams.front().events.size(); ++i) {
        const Event& was = old.streams.front().events[i];
        const Event& is = now.streams.front().events[i];
        EXPECT_EQ(is.bytes, was.bytes);
        // A region's ends lie between calls, whose times are rounded.
        const bool region = before.shape(was).kind == EventKind::region;
        const double error = region ? 3 + 4 * factor : 3;
        EXPECT_NEAR(static_cast<double>(is.begin - now.begin),
                    factor * static_cast<double>(was.begin - old.begin), error);
        EXPECT_NEAR(static_cast<double>(is.end - is.begin),
                    factor * static_cast<double>(was.end - was.begin), error);
      }
    }
  }
}

}  // namespace
}  // namespace plait::trace
