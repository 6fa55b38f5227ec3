// SPDX-License-Identifier: BSD-3-Clause
// The best arrangement of ranks: against all of them for up to 8 ranks, and known ones for more.
#include "remap/arrangement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "random.hpp"
#include "remap/remap_cases.hpp"

namespace plait::remap {
namespace {

std::vector<int> counts(const std::vector<int>& place_of, std::size_t places) {
  std::vector<int> ranks(places, 0);
  for (const int place : place_of) ++ranks[static_cast<std::size_t>(place)];
  return ranks;
}

/// The least time of all arrangements that keep each place between its least and its most.
Time brute_force(const Prediction& prediction, const std::vector<Place>& places,
                 const std::vector<int>& now) {
  Time best = prediction.time_of(now);
  std::vector<int> place_of(now.size()), ranks(places.size(), 0);
  const std::function<void(std::size_t)> next = [&](std::size_t rank) {
    if (rank == place_of.size()) {
      for (std::size_t i = 0; i < places.size(); ++i)
        if (ranks[i] < places[i].least) return;
      best = std::min(best, prediction.time_of(place_of));
      return;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (ranks[i] == places[i].most) continue;
      ++ranks[i];
      place_of[rank] = static_cast<int>(i);
      next(rank + 1);
      --ranks[i];
    }
  };
  next(0);
  return best;
}

Interval random_interval(test::Random& random, int ranks) {
  Interval interval = second_of(ranks, 0.05 * random.in(1, 18));
  for (int a = 0; a < ranks; ++a) {
    for (int b = 0; b < ranks; ++b) {
      if (a != b && random.in(0, 2) == 0) {
        interval.flows.push_back({a, b, 1.0 * random.in(1, 200000), 1.0 * random.in(0, 1 << 28)});
      }
    }
  }
  return interval;
}

void expect_the_best(const machine::MachineFile& machine, const Places& places, int cases) {
  ASSERT_EQ(places.refused, "");
  const PlaceCosts costs(machine, places.all);
  test::Random random(7);
  for (int i = 0; i < cases; ++i) {
    const Interval interval = random_interval(random, static_cast<int>(places.now.size()));
    const Prediction prediction(costs, interval, places.now, places.now);
    const std::vector<int> found = best_arrangement(prediction, places.all, places.now);
    const Time best = brute_force(prediction, places.all, places.now);
    EXPECT_NEAR(prediction.time_of(found).slowest_s, best.slowest_s, 0.002 * best.slowest_s) << i;
  }
}

TEST(Arrangement, IsTheBestOfAllOnBoundCores) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  expect_the_best(machine, bound_places(machine, {0, 1, 2, 3, 4, 5, 6, 7}), 3);
  expect_the_best(machine, bound_places(machine, {0, 2, 4, 5, 7}), 20);
  const machine::MachineFile epyc = machine::open_machine("epyc-2x64-nps4");
  expect_the_best(epyc, bound_places(epyc, {0, 1, 8, 16, 17, 64, 65}), 5);
}

TEST(Arrangement, IsTheBestOfAllOnFreeCores) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  expect_the_best(machine, unbound_places(machine, 4), 10);
  expect_the_best(machine, unbound_places(machine, 3, 2), 10);
}

TEST(Arrangement, IsTheBestOfAllOnSharedCores) {
  const machine::MachineFile machine = machine::open_machine("synthetic:pack:2 l3:1 core:2 pu:1");
  expect_the_best(machine, unbound_places(machine, 8), 10);
  const machine::MachineFile three = machine::open_machine("synthetic:pack:1 l3:3 core:1 pu:1");
  expect_the_best(three, unbound_places(three, 7), 10);
}

// Henriksen 2008, table 7.2: the groups of CG on 16 processes, whatever their first order.
TEST(Arrangement, OfCgIsThatOfTable72) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  const Places places = unbound_places(machine, 16);
  const PlaceCosts costs(machine, places.all);
  Interval interval = second_of(16, 0.3);
  for (int group = 0; group < 4; ++group) {
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) exchange(interval, 4 * group + a, 4 * group + b, 5000, 8e6);
    }
  }
  for (int a = 0; a < 8; ++a) exchange(interval, a, 15 - a, 500, 8e5);
  const Prediction prediction(costs, interval, places.now, places.now);
  const std::vector<int> place_of = best_arrangement(prediction, places.all, places.now);
  EXPECT_EQ(counts(place_of, places.all.size()), (std::vector<int>{4, 4, 4, 4, 0}));
  for (std::size_t rank = 0; rank < 16; ++rank) {
    EXPECT_EQ(place_of[rank], place_of[rank / 4 * 4]) << rank;
  }
}

// Section 7.1: on four of eight cores, one process per cache and both memory buses won.
TEST(Arrangement, SpreadsRanksThatSendLittle) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  const Places bound = unbound_places(machine, 4);
  const PlaceCosts costs(machine, bound.all);
  Interval interval = second_of(4, 0.02);
  exchange(interval, 0, 1, 100, 1e5);
  const std::vector<int> packed{0, 1, 2, 3};
  const Prediction prediction(costs, interval, bound.now, packed);
  const std::vector<int> place_of = best_arrangement(prediction, bound.all, packed);
  int first_package = 0;
  for (const int place : place_of) first_package += place < 4 ? 1 : 0;
  EXPECT_EQ(first_package, 2);
}

TEST(Arrangement, NeverPutsRanksTogetherWhileCoresAreIdle) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  const Places places = unbound_places(machine, 6);
  const PlaceCosts costs(machine, places.all);
  Interval interval = second_of(6, 0.9);
  for (int a = 0; a < 6; ++a) {
    for (int b = a + 1; b < 6; ++b) exchange(interval, a, b, 1e6, 1e9);
  }
  const std::vector<int> now{7, 0, 5, 2, 3, 1};
  const Prediction prediction(costs, interval, places.now, now);
  const std::vector<int> place_of = best_arrangement(prediction, places.all, now);
  EXPECT_EQ(std::set<int>(place_of.begin(), place_of.end()).size(), 6U);
}

TEST(Prediction, SavesNoMoreThanTheTimeInMpi) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  const Places places = bound_places(machine, {0, 4});
  const PlaceCosts costs(machine, places.all);
  Interval interval = second_of(2, 0.1);
  exchange(interval, 0, 1, 1e9, 1e13);
  const Prediction prediction(costs, interval, places.now, places.now);
  EXPECT_LE(prediction.time_of(places.now).slowest_s, 1 + 1e-9);
}

}  // namespace
}  // namespace plait::remap
