// SPDX-License-Identifier: BSD-3-Clause
// Tests of the readings of counters that a traced run keeps.
#include "preload/counters/readings.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "preload/recorder.hpp"

namespace plait::preload {

plait_record_header* record = nullptr;

namespace {
bool traced = true;
std::vector<plait_counter_reading> kept;
std::vector<plait_counter_value> values;
}  // namespace

bool wants_trace() {
  return traced;
}
void* append_run(plait_section section, uint64_t entries, uint32_t* index) {
  EXPECT_EQ(section, PLAIT_SECTION_COUNTER_TOTALS);
  *index = static_cast<uint32_t>(values.size());
  values.resize(values.size() + entries);
  return &values[*index];
}
void* append(plait_section section) {
  EXPECT_EQ(section, PLAIT_SECTION_COUNTER_READINGS);
  return &kept.emplace_back();
}
void publish(plait_section) {}
void publish(plait_section, uint32_t) {}

namespace counters {
namespace {

constexpr uint64_t kMs = 1'000'000;  // ticks

class KeptReadings : public ::testing::Test {
protected:
  void open(bool with_trace) {
    header_.ticks_per_s = 1e9;
    record = &header_;
    traced = with_trace;
    kept.clear();
    values.clear();
    open_readings(2);
  }
  void TearDown() override {
    close_readings();
    record = nullptr;
  }
  /// A reading, `counted` after the one before.
  void read(uint64_t now, uint64_t counted) {
    const bool keep = is_reading_due(readings_, now);
    if (keep) keep_reading_before(&readings_, last_, now, totals_);
    totals_.values[0][0].value += counted;
    totals_.ticks[0] += now - last_;
    if (keep) keep_reading(&readings_, now, totals_);
    last_ = now;
  }

  plait_record_header header_{};
  Readings readings_{};
  Totals totals_{};
  uint64_t last_ = 5 * kMs;  // Init
};

TEST_F(KeptReadings, BeginWithNothingAtInitAndAreAMillisecondApart) {
  open(true);
  for (uint64_t i = 1; i <= 40; ++i) read(5 * kMs + i * kMs / 10, 1);
  ASSERT_EQ(kept.size(), 5u);
  EXPECT_EQ(kept[0].ticks, 5 * kMs);
  EXPECT_EQ(values[kept[0].first_total].value, 0u);
  EXPECT_EQ(kept[1].ticks, 5 * kMs + kMs / 10);
  EXPECT_EQ(kept[2].ticks, kept[1].ticks + kMs);
  EXPECT_EQ(values[kept[2].first_total].value, 11u);
  EXPECT_EQ(kept[2].in_ticks[0], 11 * kMs / 10);
  EXPECT_EQ(kept[1].first_total, 4u) << "two counters outside and inside of MPI";
}

TEST_F(KeptReadings, TheReadingBeforeALongTimeIsKept) {
  open(true);
  read(6 * kMs, 10);
  read(6 * kMs + kMs / 2, 10);  // not due
  read(40 * kMs, 10);           // nothing was read for long
  ASSERT_EQ(kept.size(), 4u);
  EXPECT_EQ(kept[2].ticks, 6 * kMs + kMs / 2);
  EXPECT_EQ(values[kept[2].first_total].value, 20u);
  EXPECT_EQ(values[kept[3].first_total].value, 30u);
}

TEST_F(KeptReadings, BecomeRarerInLongRuns) {
  open(true);
  for (uint64_t i = 1; i <= 4000; ++i) read(5 * kMs + i * kMs, 1);
  EXPECT_GT(kept.size(), 1500u);  // 512 each with 1, 2 and 4 ms
  EXPECT_LT(kept.size(), 1800u);
}

TEST_F(KeptReadings, ThereAreNoneWithoutATrace) {
  open(false);
  for (uint64_t i = 1; i <= 40; ++i) read(5 * kMs + i * kMs, 1);
  keep_reading(&readings_, last_, totals_);
  EXPECT_TRUE(kept.empty());
}

}  // namespace
}  // namespace counters
}  // namespace plait::preload
