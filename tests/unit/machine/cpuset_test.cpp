// SPDX-License-Identifier: BSD-3-Clause
// Sets of hardware threads.
#include "machine/cpuset.hpp"

#include <gtest/gtest.h>

#include "plait/error.hpp"

namespace plait::machine {
namespace {

TEST(CpuSet, ParsesAndFormatsLists) {
  EXPECT_EQ(CpuSet::parse("0-3,8").format(), "0-3,8");
  EXPECT_EQ(CpuSet::parse("8, 0-3\n").format(), "0-3,8");
  EXPECT_EQ(CpuSet::parse("5,3,4,63,64,65").format(), "3-5,63-65");
  EXPECT_EQ(CpuSet::parse("7").format(), "7");
  EXPECT_EQ(CpuSet::parse("").format(), "");
  EXPECT_EQ(CpuSet::parse("0-255").count(), 256);
}

TEST(CpuSet, RefusesTextThatIsNotAList) {
  for (const char* text : {"a", "1-", "-1", "3-1", "1,,2", "1,", "1 2", "0x3", "99999999999"}) {
    EXPECT_THROW(CpuSet::parse(text), Error) << text;
  }
}

TEST(CpuSet, FindsFirstLastAndMembers) {
  const CpuSet set = CpuSet::of({70, 3, 128});
  EXPECT_EQ(set.first(), 3);
  EXPECT_EQ(set.last(), 128);
  EXPECT_EQ(set.count(), 3);
  EXPECT_EQ(set.indices(), (std::vector<int>{3, 70, 128}));
  EXPECT_TRUE(set.test(70));
  EXPECT_FALSE(set.test(71));
  EXPECT_FALSE(set.test(100000));
  EXPECT_FALSE(set.test(-1));
  EXPECT_EQ(CpuSet().first(), -1);
  EXPECT_EQ(CpuSet().last(), -1);
}

TEST(CpuSet, UnitesIntersectsAndSubtracts) {
  const CpuSet low = CpuSet::range(0, 79);
  const CpuSet high = CpuSet::range(64, 200);
  EXPECT_EQ((low & high).format(), "64-79");
  EXPECT_EQ((low | high).format(), "0-200");
  EXPECT_EQ((high - low).format(), "80-200");
  EXPECT_TRUE(low.intersects(high));
  EXPECT_FALSE(low.intersects(high - low));
  EXPECT_TRUE((low & high).subset_of(low));
  EXPECT_FALSE(high.subset_of(low));
  EXPECT_TRUE(CpuSet().subset_of(low));
}

TEST(CpuSet, IsEqualWhateverItContainedBefore) {
  CpuSet set = CpuSet::of({1, 500});
  set.clear(500);
  set.clear(9999);
  EXPECT_EQ(set, CpuSet::of({1}));
  set.clear(1);
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set, CpuSet());
}

TEST(CpuSet, ReadsTheAffinityOfAThread) {
  EXPECT_GE(CpuSet::affinity_of(0).count(), 1);
  EXPECT_THROW(CpuSet::affinity_of(0x7fffffff), Error);
}

}  // namespace
}  // namespace plait::machine
