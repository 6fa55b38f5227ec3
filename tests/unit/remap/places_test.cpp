// SPDX-License-Identifier: BSD-3-Clause
// The places to which ranks may be moved, from the bindings of their launcher.
#include "remap/places.hpp"

#include <gtest/gtest.h>

#include <set>

#include "remap/remap_cases.hpp"

namespace plait::remap {
namespace {

const machine::MachineFile& clovertown() {
  static const machine::MachineFile machine = machine::open_machine("clovertown");
  return machine;
}

TEST(Places, OfUnboundRanksAreSingleCoresIfThereAreEnough) {
  const Places places = unbound_places(clovertown(), 4);
  EXPECT_EQ(places.refused, "");
  ASSERT_EQ(places.all.size(), 9U);
  for (int core = 0; core < 8; ++core) {
    EXPECT_EQ(places.all[static_cast<std::size_t>(core)], (Place{{core}, 0, 1}));
  }
  EXPECT_EQ(places.all[8], (Place{{0, 1, 2, 3, 4, 5, 6, 7}, 0, 0}));
  EXPECT_EQ(places.now, std::vector<int>(4, 8));
}

TEST(Places, HaveAsManyCoresAsARankHasThreads) {
  const Places places = unbound_places(clovertown(), 3, 2);
  ASSERT_EQ(places.all.size(), 5U);
  EXPECT_EQ(places.all[1], (Place{{2, 3}, 0, 1}));
}

TEST(Places, OfMoreRanksThanCoresAreThoseOfTable72) {
  const Places places = unbound_places(clovertown(), 16);
  ASSERT_EQ(places.all.size(), 5U);
  EXPECT_EQ(places.all[0], (Place{{0, 1}, 4, 4}));
  EXPECT_EQ(places.all[3], (Place{{6, 7}, 4, 4}));
}

TEST(Places, KeepEveryCoreBusyIfRanksDoNotDivide) {
  const Places places = unbound_places(clovertown(), 10);
  ASSERT_EQ(places.all.size(), 5U);
  EXPECT_EQ(places.all[0], (Place{{0, 1}, 2, 3}));
}

TEST(Places, OfBoundRanksAreTheirOwnCores) {
  const Places places = bound_places(clovertown(), {6, 0, 3});
  EXPECT_EQ(places.refused, "");
  ASSERT_EQ(places.all.size(), 3U);
  std::set<std::vector<int>> cores;
  for (const Place& place : places.all) {
    EXPECT_EQ(place.least, 1);
    EXPECT_EQ(place.most, 1);
    cores.insert(place.cores);
  }
  EXPECT_EQ(cores, (std::set<std::vector<int>>{{0}, {3}, {6}}));
  EXPECT_EQ(places.all[static_cast<std::size_t>(places.now[0])].cores, std::vector<int>{6});
}

TEST(Places, AreRefusedWhereNothingCanBeArranged) {
  EXPECT_NE(unbound_places(clovertown(), 1).refused.find("one rank"), std::string::npos);
  const std::string one_core = bound_places(clovertown(), {2, 2, 2}).refused;
  EXPECT_NE(one_core.find("bound to core 2; leave the ranks unbound"), std::string::npos);
  EXPECT_NE(one_core.find("--bind-to none"), std::string::npos);
  const std::vector<Binding> overlapping{{{0, 1}, 1}, {{1, 2}, 1}};
  EXPECT_NE(places_of(clovertown().topology, overlapping).refused.find("overlap"),
            std::string::npos);
  const machine::MachineFile one_cache = machine::open_machine("synthetic:pack:1 l3:1 core:4 pu:1");
  EXPECT_NE(unbound_places(one_cache, 8).refused.find("share a cache"), std::string::npos);
}

}  // namespace
}  // namespace plait::remap
