// SPDX-License-Identifier: BSD-3-Clause
// Costs of messages between places and of memory bandwidth that ranks share.
#include "remap/place_costs.hpp"

#include <gtest/gtest.h>

#include "remap/remap_cases.hpp"

namespace plait::remap {
namespace {

/// A machine of two cores that share nothing, with a measured path between them.
machine::MachineFile two_cores(double us, double gbs) {
  machine::MachineFile machine = machine::open_machine("synthetic:pack:2 l3:1 core:1 pu:1");
  machine::Path path;
  path.id = "node";
  path.name = "same node";
  const auto point = [&](std::uint64_t bytes, double time_us) {
    machine::CurvePoint of;
    of.bytes = bytes;
    of.half_round_trip_us = {time_us, time_us, time_us, time_us, 20, {}};
    of.bandwidth_gbs = machine::bandwidth_gbs(static_cast<double>(bytes), time_us);
    return of;
  };
  path.mpi_pingpong = {point(0, us), point(1 << 20, (1 << 20) / gbs * 1e-3)};
  machine.measured = machine::Measured{};
  machine.measured->paths = {path};
  return machine;
}

TEST(PlaceCosts, AreThoseOfTheMeasuredPath) {
  const machine::MachineFile machine = two_cores(50, 0.1);
  const Places places = unbound_places(machine, 4);
  ASSERT_EQ(places.all.size(), 3U);
  const PlaceCosts costs(machine, places.all);
  EXPECT_NEAR(costs.path(0, 1).seconds, 50e-6, 1e-9);
  EXPECT_NEAR(costs.path(0, 1).seconds_per_byte, 1e-8, 1e-11);
  // Messages within a core were not measured.
  EXPECT_EQ(costs.path(0, 0).seconds, mapping::default_costs().path[4].seconds);
  EXPECT_NEAR(costs.path(2, 2).seconds, (50e-6 + 0.3e-6) / 2, 1e-9);
}

TEST(PlaceCosts, OfSeveralCoresAreTheMeanOfTheirPaths) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  const Places places = unbound_places(machine, 16);
  const PlaceCosts costs(machine, places.all);
  EXPECT_LT(costs.path(0, 0).seconds, costs.path(0, 1).seconds);
  EXPECT_LT(costs.path(0, 1).seconds, costs.path(0, 2).seconds);
  EXPECT_LT(costs.path(0, 0).seconds, costs.path(4, 4).seconds);
  EXPECT_LT(costs.path(4, 4).seconds, costs.path(0, 2).seconds);
}

// Henriksen 2008, table 7.1: case 1 (one package) takes 1.00 to 1.73 times as long as case 3.
TEST(PlaceCosts, OfOneMemoryBusAreThoseOfTable71) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  const Places places = unbound_places(machine, 4);
  const PlaceCosts costs(machine, places.all);
  const std::vector<double> busy(4, 1);
  const std::vector<double> one_bus = costs.slowdowns({0, 1, 2, 3}, busy);
  const std::vector<double> both = costs.slowdowns({0, 2, 4, 6}, busy);
  EXPECT_NEAR(one_bus[0] / both[0], 1.34, 0.05);
  EXPECT_EQ(costs.slowdowns({0, 1, 2, 3}, std::vector<double>(4, 0)), std::vector<double>(4, 1.0));
}

TEST(PlaceCosts, OfAMoveWithinACacheAreNone) {
  const machine::MachineFile machine = machine::open_machine("clovertown");
  const Places places = unbound_places(machine, 4);
  const PlaceCosts costs(machine, places.all);
  EXPECT_EQ(costs.refill_s(0, 1), 0);
  EXPECT_GT(costs.refill_s(0, 2), 1e-4);
  EXPECT_GT(costs.refill_s(8, 2), 1e-4);
}

TEST(PlaceCosts, KnowMemoryOfAnotherDomain) {
  const machine::MachineFile machine = machine::open_machine("epyc-2x64-nps4");
  const Places places = bound_places(machine, {0, 1, 64});
  const PlaceCosts costs(machine, places.all);
  EXPECT_FALSE(costs.far_from(places.now[0], places.now[1]));
  EXPECT_TRUE(costs.far_from(places.now[0], places.now[2]));
}

}  // namespace
}  // namespace plait::remap
