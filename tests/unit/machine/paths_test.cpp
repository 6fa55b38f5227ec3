// SPDX-License-Identifier: BSD-3-Clause
// Core pairs are grouped by the hardware that they share.
#include "machine/paths.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "machine/open_machine.hpp"

namespace plait::machine {
namespace {

/// Number of pairs by class id.
std::map<std::string, std::size_t> counts(const char* spec) {
  std::map<std::string, std::size_t> result;
  for (const PathClass& path : path_classes(open_machine(spec).topology)) {
    result[path.kind.id] = path.pairs.size();
  }
  return result;
}

using Counts = std::map<std::string, std::size_t>;

// Henriksen 2008, section 5.1.2: from core 0 (the kernel's numbers) only 4 shares its cache, 2 and
// 6 share its package, 1, 3, 5 and 7 share nothing.
TEST(Paths, ClovertownAsHenriksenMeasuredIt) {
  const Topology node = open_machine("clovertown").topology;
  const auto id = [&](int a, int b) {
    return path_between(node, node.core_of_pu(a), node.core_of_pu(b)).id;
  };
  EXPECT_EQ(id(0, 4), "l2");
  for (const int pu : {2, 6}) EXPECT_EQ(id(0, pu), "package");
  for (const int pu : {1, 3, 5, 7}) EXPECT_EQ(id(0, pu), "node");
  EXPECT_EQ(id(0, 0), "smt");
  EXPECT_EQ(counts("clovertown"), (Counts{{"l2", 4}, {"package", 8}, {"node", 16}}));
}

TEST(Paths, EveryPairOfAllowedCoresIsInOneClass) {
  for (const NamedMachine& known : list_machines()) {
    const Topology node = open_machine(known.name).topology;
    std::size_t pairs = 0;
    for (const PathClass& path : path_classes(node)) {
      if (path.kind.id == "smt") continue;
      pairs += path.pairs.size();
      for (const CorePair& pair : path.pairs) {
        EXPECT_LT(pair[0], pair[1]);
        EXPECT_TRUE(node.core_allowed(pair[0]) && node.core_allowed(pair[1]));
      }
    }
    const std::size_t n = node.allowed_cores().size();
    EXPECT_EQ(pairs, n * (n - 1) / 2) << known.name;
  }
}

TEST(Paths, TwoSocketsWithFourDomainsEach) {
  EXPECT_EQ(counts("epyc-2x64-nps4"),
            (Counts{{"smt", 128}, {"l3", 448}, {"numa", 512}, {"package", 3072}, {"node", 4096}}));
  EXPECT_EQ(counts("epyc-2x64-nps4-nosmt"),
            (Counts{{"l3", 448}, {"numa", 512}, {"package", 3072}, {"node", 4096}}));
}

TEST(Paths, UnevenGroupsAreSupported) {
  EXPECT_EQ(counts("uneven-l3"), (Counts{{"l3", 180}, {"package", 576}, {"node", 784}}));
}

TEST(Paths, ADomainBelowTheCacheIsNearerThanTheCache) {
  const Topology node = open_machine("snc2").topology;
  EXPECT_EQ(path_between(node, 0, 11).id, "numa");
  EXPECT_EQ(path_between(node, 0, 12).id, "l3");
  EXPECT_EQ(path_between(node, 0, 24).id, "node");
}

TEST(Paths, OnlyAllowedThreadsMakeSiblings) {
  EXPECT_EQ(counts("holes"), (Counts{{"smt", 5}, {"l3", 12}, {"package", 16}}));
}

TEST(Paths, UnusualNodesAreGrouped) {
  EXPECT_EQ(counts("bare"), (Counts{{"package", 28}}));
  EXPECT_EQ(counts("hybrid"), (Counts{{"smt", 4}, {"l2", 12}, {"l3", 54}}));
  EXPECT_EQ(counts("synthetic:core:1 pu:1"), Counts{});
  EXPECT_EQ(counts("synthetic:core:1 pu:2"), (Counts{{"smt", 1}}));
  EXPECT_EQ(counts("synthetic:pack:2 l1d:1 core:2 pu:1"), (Counts{{"l1", 2}, {"node", 4}}));
}

TEST(Paths, ClassesComeNearestFirst) {
  std::string order;
  for (const PathClass& path : path_classes(open_machine("epyc-2x64-nps4").topology)) {
    order += path.kind.name + ";";
  }
  EXPECT_EQ(order, "same core;shared L3;same NUMA domain;same package;same node;");
  order.clear();
  for (const PathClass& path : path_classes(open_machine("snc2").topology)) {
    order += path.kind.name + ";";
  }
  EXPECT_EQ(order, "same core;same NUMA domain;shared L3;same node;");
}

TEST(Paths, ASampleCoversEachClassAndIsAlwaysTheSame) {
  const auto all = path_classes(open_machine("epyc-2x64-nps4").topology);
  const auto sample = sample_pairs(all, 6);
  ASSERT_EQ(sample.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(sample[i].kind, all[i].kind);
    ASSERT_EQ(sample[i].pairs.size(), 6U);
    EXPECT_EQ(sample[i].pairs.front(), all[i].pairs.front());
    EXPECT_EQ(sample[i].pairs.back(), all[i].pairs.back());
    EXPECT_EQ(sample[i].pairs, sample_pairs(all, 6)[i].pairs);
  }
}

TEST(Paths, ASampleOfFewPairsIsAllOfThem) {
  const auto all = path_classes(open_machine("clovertown").topology);
  EXPECT_EQ(sample_pairs(all, 8)[0].pairs.size(), 4U);
  EXPECT_EQ(sample_pairs(all, 8)[2].pairs.size(), 8U);
  EXPECT_EQ(sample_pairs(all, 0)[0].pairs.size(), 1U);
}

}  // namespace
}  // namespace plait::machine
