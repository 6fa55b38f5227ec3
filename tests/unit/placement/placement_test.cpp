// SPDX-License-Identifier: BSD-3-Clause
// Requests are parsed or refused, and ranks get the cores that were requested.
#include "placement/placement.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machine/open_machine.hpp"
#include "plait/error.hpp"

namespace plait::placement {
namespace {

machine::Topology machine_named(const std::string& name) {
  const std::string data = PLAIT_TEST_DATA "/machines/";
  if (name == "epyc") {
    return machine::open_machine("synthetic:pack:2 numa:4 l3:2 core:8 pu:2(indexes=2*128:1*2)")
        .topology;
  }
  const bool synthetic = name.find(':') != name.npos;
  return machine::open_machine(synthetic ? "synthetic:" + name : data + name).topology;
}

/// "0-7 8-15 | 0-7": cores of each rank, nodes apart.
std::string places(const std::string& machine, const std::string& text) {
  const Placement placement = place_ranks(parse_intent(text), machine_named(machine), text);
  std::string result;
  for (std::size_t rank = 0; rank < placement.ranks.size(); ++rank) {
    if (rank > 0)
      result += placement.ranks[rank].node != placement.ranks[rank - 1].node ? " | " : " ";
    result += machine::CpuSet::of(placement.ranks[rank].cores).format();
  }
  return result;
}

/// The hardware threads of each rank.
std::string cpus(const std::string& machine, const std::string& text) {
  std::string result;
  for (const RankSpot& rank : place_ranks(parse_intent(text), machine_named(machine), text).ranks) {
    result += (result.empty() ? "" : " ") + rank.pus.format();
  }
  return result;
}

std::string refused(const std::string& machine, const std::string& text) {
  try {
    const std::string found = places(machine, text);
    return "not refused: " + found;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Intent, IsParsed) {
  const Intent a = parse_intent("4 ranks x 8 threads, one per L3");
  EXPECT_EQ(a.ranks, 4);
  EXPECT_EQ(a.threads, 8);
  EXPECT_EQ(a.per, 1);
  EXPECT_EQ(a.place.kind, PlaceKind::cache);
  EXPECT_EQ(a.place.cache_level, 3);
  const Intent b = parse_intent("4x8; Spread, 2 nodes and leave a core free per NUMA domain");
  EXPECT_EQ(b.ranks, 4);
  EXPECT_EQ(b.threads, 8);
  EXPECT_EQ(b.spread, true);
  EXPECT_EQ(b.nodes, 2);
  EXPECT_EQ(b.cores_free, 1);
  EXPECT_EQ(b.free_in.kind, PlaceKind::numa);
  const Intent c = parse_intent("2 ranks/socket, 3 threads, hardware threads");
  EXPECT_EQ(c.per, 2);
  EXPECT_EQ(c.place.kind, PlaceKind::package);
  EXPECT_EQ(c.threads, 3);
  EXPECT_TRUE(c.hardware_threads);
}

TEST(Intent, AcceptsAAndAnForPer) {
  for (const char* text :
       {"2 per L3, leave 3 cores free per package", "2 an L3, leave 3 cores free a package",
        "2/L3, leave 3 cores free/package", "2 ranks a L3, leave 3 cores free an package"}) {
    const Intent intent = parse_intent(text);
    EXPECT_EQ(intent.per, 2) << text;
    EXPECT_EQ(intent.place.cache_level, 3) << text;
    EXPECT_EQ(intent.cores_free, 3) << text;
    EXPECT_EQ(intent.free_in.kind, PlaceKind::package) << text;
  }
}

TEST(Intent, AnErrorQuotesWhatItCannotParseAndShowsTheSyntax) {
  for (const char* text :
       {"", "8 threads", "spread", "4 ranks x", "x 8", "0 ranks", "four hundred ranks",
        "4 ranks, 5 ranks", "one per galaxy", "one a galaxy", "4 ranks, spread, packed",
        "2 ranks on mars", "99999999999 ranks", "leave a core", "4 ranks x 8 threads x 2",
        "4 ranks, leave two cores free a thing"}) {
    const std::string said = refused("core:8 1", text);
    EXPECT_NE(said.find("the syntax of a request is\n"), std::string::npos) << text << ": " << said;
  }
  EXPECT_NE(refused("core:8 1", "4 ranks, one per galaxy").find("cannot parse \"one per galaxy\""),
            std::string::npos);
  EXPECT_NE(refused("core:8 1", "4 ranks, one/galaxy").find("cannot parse \"one per galaxy\""),
            std::string::npos);
}

TEST(Placement, OnePerPlaceFillsIt) {
  EXPECT_EQ(places("epyc", "4 ranks x 8 threads, one per L3"), "0-7 8-15 16-23 24-31");
  EXPECT_EQ(places("epyc", "one per NUMA").substr(0, 11), "0-15 16-31 ");
  EXPECT_EQ(places("epyc", "2 ranks, 1 per package, 2 nodes"), "0-63 | 0-63");
  EXPECT_EQ(places("epyc", "4 ranks x 3 threads, 2 per NUMA"), "0-2 3-5 16-18 19-21");
  EXPECT_EQ(places("pack:2 l3:2 core:4 pu:1", "2 ranks x 2 threads, one per L3, spread"),
            "0-1 8-9");
}

TEST(Placement, UnevenPlacesAreUsedWhileTheyHaveRoom) {
  EXPECT_EQ(places("uneven-l3.xml", "one per L3 x 8 threads"),
            places("uneven-l3.xml", "6 ranks x 8 threads, one per L3"));
  EXPECT_EQ(places("uneven-l3.xml", "8 ranks, one per L3"),
            "0-3 8-11 16-19 24-27 28-31 36-39 44-47 52-55");
  EXPECT_NE(
      refused("uneven-l3.xml", "7 ranks x 8 threads, one per L3")
          .find("7 ranks do not fit: 6 of 8 L3s per node have 8 cores or more; ask for at most "
                "6 ranks on 1 node"),
      std::string::npos);
}

TEST(Placement, RanksShareThePlacesThatAreTooSmall) {
  EXPECT_EQ(places("core:4 pu:1", "8 ranks, 2 per core"), "0 0 1 1 2 2 3 3");
  EXPECT_EQ(places("core:2 pu:2", "2 ranks/core"), "0 0 1 1");
  EXPECT_EQ(cpus("core:2 pu:2", "2 ranks/core"), "0-1 0-1 2-3 2-3") << "all threads of a core";
  EXPECT_EQ(cpus("core:2 pu:2", "2 per core, hardware threads"), "0 1 2 3") << "one each";
  EXPECT_EQ(places("l3:2 core:2 pu:1", "6 ranks x 1 thread, 3 per L3"), "0-1 0-1 0-1 2-3 2-3 2-3");
  EXPECT_EQ(places("core:4 pu:1", "4 ranks, 2 per core, spread, 2 nodes"), "0 0 | 0 0");
  EXPECT_NE(refused("core:4 pu:1", "9 ranks, 2 per core")
                .find("9 ranks do not fit: 4 cores per node with 2 ranks each; ask for at most 8 "
                      "ranks on 1 node"),
            std::string::npos);
  EXPECT_NE(refused("core:8 pu:1", "16 ranks").find("let ranks share cores: \"2 per core\""),
            std::string::npos);
}

TEST(Placement, SharedRanksMayUseAllCoresOfTheirPlace) {
  EXPECT_EQ(places("l3:2 core:4 pu:1", "4 ranks, 2 per L3, shared"), "0-3 0-3 4-7 4-7");
  EXPECT_EQ(places("l3:2 core:4 pu:1", "4 ranks x 8 threads, 2 per L3, shared"), "0-3 0-3 4-7 4-7");
  EXPECT_NE(refused("l3:2 core:4 pu:1", "4 ranks x 8 threads, 2 per L3").find("add \"shared\""),
            std::string::npos)
      << "threads that do not fit are shared on request only";
  EXPECT_NE(refused("core:4 pu:1", "4 ranks, shared").find("needs a place"), std::string::npos);
}

TEST(Placement, PackedRanksKeepWithinACache) {
  EXPECT_EQ(places("pack:2 l3:2 core:4 pu:1", "4 ranks x 3 threads, packed"), "0-2 4-6 8-10 12-14");
  EXPECT_EQ(places("pack:2 l3:2 core:4 pu:1", "5 ranks x 3 threads, packed"),
            "0-2 3-5 6-8 9-11 12-14");
  EXPECT_EQ(places("clovertown.json", "4 ranks, packed"), "0 1 2 3");
}

TEST(Placement, SpreadRanksShareAsLittleAsTheyCan) {
  EXPECT_EQ(places("clovertown.json", "4 ranks, spread"), "0 2 4 6");
  EXPECT_EQ(places("pack:2 l3:2 core:4 pu:1", "2 ranks x 2 threads, spread"), "0,4 8,12");
  EXPECT_EQ(places("epyc", "3 ranks, spread"), "0 16 64");
}

TEST(Placement, CoresAreLeftFree) {
  EXPECT_EQ(places("pack:2 l3:2 core:4 pu:1", "one per L3, leave a core free per L3"),
            "0-2 4-6 8-10 12-14");
  EXPECT_EQ(places("core:4 1", "3 ranks, leave a core free, packed"), "0 1 2");
  EXPECT_NE(refused("core:4 1", "4 ranks, leave a core free")
                .find("a node has 3 besides those left free"),
            std::string::npos);
}

TEST(Placement, HardwareThreadsCountWhereTheyAreAskedFor) {
  const std::string text = "2 ranks x 4 threads, packed, hardware threads";
  const Placement placement =
      place_ranks(parse_intent(text), machine_named("core:4 pu:2(indexes=2*4:1*2)"), text);
  EXPECT_EQ(placement.ranks[0].pus.format(), "0-1,4-5");
  EXPECT_EQ(placement.ranks[1].pus.format(), "2-3,6-7");
  EXPECT_TRUE(placement.ranks[0].whole_cores);
  EXPECT_NE(refused("core:4 pu:2", "8 ranks, packed").find("or add \"hardware threads\""),
            std::string::npos);
  EXPECT_EQ(places("core:4 pu:2", "8 ranks, packed, hardware threads"), "0 0 1 1 2 2 3 3");
}

TEST(Placement, OnlyWhatTheJobMayUse) {
  const machine::Topology holes = machine_named("holes.xml");
  const std::string text = fmt::format("{} ranks, packed", holes.allowed_cores().size());
  const Placement placement = place_ranks(parse_intent(text), holes, text);
  machine::CpuSet used;
  for (const RankSpot& spot : placement.ranks) {
    EXPECT_FALSE(used.intersects(spot.pus));
    used |= spot.pus;
  }
  EXPECT_EQ(used, holes.allowed_pus);
  EXPECT_NE(refused("core:4 1", "one per L3").find("this machine has no L3"), std::string::npos);
}

}  // namespace
}  // namespace plait::placement
