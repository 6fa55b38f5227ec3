// SPDX-License-Identifier: BSD-3-Clause
// Tests of the table of user regions: names, nesting, wrong ends, depth.
#include "preload/regions/regions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "fake_recorder.hpp"

namespace plait::preload {
namespace {

std::vector<plait_region_record> regions() {
  return test::entries<plait_region_record>(PLAIT_SECTION_REGIONS);
}

// The table of regions is kept for the life of a process, so that each test uses names of its own
// in the one record.
class Regions : public ::testing::Test {
protected:
  static void SetUpTestSuite() { test::begin_record(); }
  void SetUp() override { first_ = regions().size(); }

  [[nodiscard]] const plait_region_record region(std::size_t index) const {
    return regions().at(first_ + index);
  }
  [[nodiscard]] uint32_t number(std::size_t index) const {
    return static_cast<uint32_t>(first_ + index) + 1;
  }
  std::size_t first_ = 0;
};

TEST_F(Regions, AreCountedByNameAndParent) {
  for (int i = 0; i < 3; ++i) {
    region_enter("a");
    region_enter("b");
    region_leave("b");
    region_leave("a");
  }
  region_enter("b");
  region_leave("b");
  ASSERT_EQ(regions().size(), first_ + 3);
  EXPECT_EQ(test::string_at(region(0).name), "a");
  EXPECT_EQ(region(0).count, 3u);
  EXPECT_EQ(region(0).parent, 0u);
  EXPECT_EQ(test::string_at(region(1).name), "b");
  EXPECT_EQ(region(1).parent, number(0));
  EXPECT_EQ(region(1).count, 3u);
  EXPECT_EQ(region(2).parent, 0u);
  EXPECT_EQ(region(2).count, 1u);
  EXPECT_GE(region(0).ticks, region(1).ticks);
}

TEST_F(Regions, HoldTheMpiTimeOfTheirThread) {
  test::mpi_ticks = 100;
  region_enter("mpi");
  test::mpi_ticks = 130;
  region_enter("inner");
  test::mpi_ticks = 137;
  region_leave("inner");
  region_leave("mpi");
  EXPECT_EQ(region(0).mpi_ticks, 37u);
  EXPECT_EQ(region(1).mpi_ticks, 7u);
}

TEST_F(Regions, WithinOneThatIsLeftAreLeftToo) {
  region_enter("outer");
  region_enter("forgotten");
  region_leave("outer");
  EXPECT_EQ(region(0).count, 1u);
  EXPECT_EQ(region(1).count, 1u);
  ASSERT_FALSE(test::notes.empty());
  EXPECT_NE(test::notes.back().find("outer"), std::string::npos);
  region_leave("outer");
  EXPECT_NE(test::notes.back().find("not begun"), std::string::npos);
  EXPECT_EQ(region(0).count, 1u);
}

TEST_F(Regions, WithoutANameTheInnermostIsLeft) {
  region_enter("x");
  region_enter("y");
  region_leave(nullptr);
  EXPECT_EQ(region(1).count, 1u);
  EXPECT_EQ(region(0).count, 0u);
  region_leave(nullptr);
  EXPECT_EQ(region(0).count, 1u);
}

TEST_F(Regions, BeyondTheDeepestAreLeftOutAndTheRestStaysRight) {
  for (int i = 0; i < 70; ++i) region_enter("deep");
  for (int i = 0; i < 70; ++i) region_leave("deep");
  EXPECT_EQ(regions().size(), first_ + 64);
  EXPECT_EQ(region(0).count, 1u);
  region_enter("deep");
  region_leave("deep");
  EXPECT_EQ(region(0).count, 2u);
}

TEST_F(Regions, AreAllKeptHoweverManyThereAre) {
  constexpr int kNames = 10'000;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kNames; ++i) {
      const std::string name = "one of many " + std::to_string(i);
      region_enter(name.c_str());
      region_leave(name.c_str());
    }
  }
  ASSERT_EQ(regions().size(), first_ + kNames);
  for (const auto& one : {region(0), region(4096), region(kNames - 1)}) EXPECT_EQ(one.count, 2u);
  EXPECT_EQ(test::string_at(region(kNames - 1).name), "one of many 9999");
}

TEST_F(Regions, WithoutRoomAreCountedAsLostOnce) {
  auto& table = record->sections[PLAIT_SECTION_REGIONS];
  const auto room = table.capacity;
  table.capacity = table.count;
  for (int i = 0; i < 3; ++i) {
    region_enter("no room");
    region_leave("no room");
  }
  EXPECT_EQ(table.lost, 1u);
  table.capacity = room;
}

TEST_F(Regions, OfSeveralThreadsShareOneEntry) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) {
        region_enter("shared");
        region_leave("shared");
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(regions().size(), first_ + 1);
  EXPECT_EQ(region(0).count, 4000u);
}

}  // namespace
}  // namespace plait::preload
