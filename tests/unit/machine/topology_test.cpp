// SPDX-License-Identifier: BSD-3-Clause
// Topologies from hwloc, on recorded and synthetic machines.
#include "machine/topology.hpp"

#include <gtest/gtest.h>

#include <map>

#include "machine/discover.hpp"
#include "machine/open_machine.hpp"
#include "plait/error.hpp"

namespace plait::machine {
namespace {

Topology named(const char* name) {
  return open_machine(name).topology;
}

std::map<int, std::vector<std::size_t>> cache_sizes_by_level(const Topology& topology) {
  std::map<int, std::vector<std::size_t>> sizes;
  for (const Cache& cache : topology.caches) sizes[cache.level].push_back(cache.cores.size());
  return sizes;
}

TEST(Topology, TwoSocketsWithFourDomainsEach) {
  const Topology node = named("epyc-2x64-nps4");
  EXPECT_EQ(node.packages.size(), 2U);
  EXPECT_EQ(node.numa_nodes.size(), 8U);
  EXPECT_EQ(node.cores.size(), 128U);
  EXPECT_EQ(node.total_pus(), 256);
  EXPECT_EQ(node.cores[5].pus, (std::vector<int>{5, 133}));
  EXPECT_EQ(node.cores[127].numa, 7);
  EXPECT_EQ(node.cores[127].package, 1);
  EXPECT_EQ(cache_sizes_by_level(node)[3], std::vector<std::size_t>(16, 8));
  EXPECT_EQ(node.last_level_cache_bytes(), 16ULL * 32 * 1024 * 1024);
  EXPECT_EQ(node.usable_cores(), 128);
}

TEST(Topology, SmtOffMeansOneThreadPerCore) {
  const Topology node = named("epyc-2x64-nps4-nosmt");
  EXPECT_EQ(node.cores.size(), 128U);
  EXPECT_EQ(node.total_pus(), 128);
}

TEST(Topology, CacheGroupsMayBeUneven) {
  const Topology node = named("uneven-l3");
  EXPECT_EQ(node.cores.size(), 56U);
  EXPECT_EQ(cache_sizes_by_level(node)[3], (std::vector<std::size_t>{8, 8, 8, 4, 8, 8, 8, 4}));
}

TEST(Topology, DomainsMayBeBelowTheLastCache) {
  const Topology node = named("snc2");
  EXPECT_EQ(node.numa_nodes.size(), 4U);
  EXPECT_EQ(cache_sizes_by_level(node)[3], (std::vector<std::size_t>{24, 24}));
  EXPECT_EQ(node.cores[11].numa, 0);
  EXPECT_EQ(node.cores[12].numa, 1);
}

TEST(Topology, CoreIdsAreNotHardwareThreads) {
  const Topology node = named("clovertown");
  EXPECT_EQ(node.core_of_pu(4), 1);
  EXPECT_EQ(node.core_of_pu(7), 7);
  EXPECT_EQ(node.core_of_pu(8), -1);
  EXPECT_EQ(node.pus_of({0, 1}).format(), "0,4");
  EXPECT_EQ(node.cores_of(CpuSet::of({1, 5})), (std::vector<int>{4, 5}));
}

TEST(Topology, OnlyAllowedThreadsCount) {
  const Topology node = named("holes");
  EXPECT_EQ(node.cores.size(), 16U);
  EXPECT_EQ(node.allowed_pus.format(), "1-3,6,8-11,17-19,22,24");
  EXPECT_EQ(node.allowed_cores(), (std::vector<int>{1, 2, 3, 6, 8, 9, 10, 11}));
  EXPECT_EQ(node.allowed_pus_of(8), (std::vector<int>{8, 24}));
  EXPECT_EQ(node.allowed_pus_of(9), std::vector<int>{9});
  EXPECT_EQ(node.usable_cores(), 8);
}

TEST(Topology, AQuotaLimitsTheUsableCores) {
  Topology node = named("cgroup-quota");
  EXPECT_EQ(node.allowed_cores().size(), 8U);
  EXPECT_EQ(node.usable_cores(), 2);
  node.cgroup_quota_cores = 0.5;
  EXPECT_EQ(node.usable_cores(), 1);
  node.cgroup_quota_cores = 64;
  EXPECT_EQ(node.usable_cores(), 8);
}

TEST(Topology, HybridProcessorsHaveKindsOfCores) {
  const Topology node = named("hybrid");
  ASSERT_EQ(node.cores.size(), 12U);
  EXPECT_EQ(node.cores[0].kind, 2);
  EXPECT_EQ(node.cores[11].kind, 1);
  EXPECT_EQ(node.cores[0].pus.size(), 2U);
  EXPECT_EQ(node.cores[11].pus.size(), 1U);
}

TEST(Topology, PackagesAndCachesMayBeUnknown) {
  const MachineFile file = open_machine("bare");
  EXPECT_EQ(file.topology.packages.size(), 1U);
  EXPECT_TRUE(file.topology.caches.empty());
  EXPECT_EQ(file.topology.last_level_cache_bytes(), 0U);
  EXPECT_FALSE(file.notes.empty());
}

TEST(Topology, HardwareThreadsWithoutCoresAreCores) {
  const Topology node = open_machine("synthetic:pack:1 pu:4").topology;
  EXPECT_EQ(node.cores.size(), 4U);
  EXPECT_EQ(node.cores[3].pus, std::vector<int>{3});
}

TEST(Topology, DomainsOfCoresAreListedOnce) {
  const Topology node = named("epyc-2x64-nps4");
  EXPECT_EQ(node.numa_of({0, 1, 16, 127}), (std::vector<int>{0, 1, 7}));
}

TEST(Topology, DiscoversThisNodeWithinItsLimits) {
  const MachineFile file = discover_local();
  EXPECT_GE(file.topology.allowed_cores().size(), 1U);
  EXPECT_TRUE(file.topology.allowed_pus.subset_of(CpuSet::affinity_of(0)));
  EXPECT_EQ(file.origin, "recorded");
  EXPECT_FALSE(file.os.empty());
}

TEST(Topology, CheckRefusesInconsistentIds) {
  const Topology good = named("clovertown");
  EXPECT_NO_THROW(good.check("x"));
  Topology bad = good;
  bad.caches[0].cores.push_back(8);
  EXPECT_THROW(bad.check("x"), Error);
  bad = good;
  bad.cores[3].pus = {0};
  EXPECT_THROW(bad.check("x"), Error);
  bad = good;
  bad.cores[3].id = 7;
  EXPECT_THROW(bad.check("x"), Error);
  bad = good;
  bad.allowed_pus = CpuSet::of({99});
  EXPECT_THROW(bad.check("x"), Error);
  EXPECT_THROW(Topology().check("x"), Error);
}

}  // namespace
}  // namespace plait::machine
