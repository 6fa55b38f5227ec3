// SPDX-License-Identifier: BSD-3-Clause
// Locality queues on synthetic and recorded machines: the order in which tasks are taken.
#include "plait/locality_queues.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "machine/discover.hpp"
#include "machine/machine_file.hpp"
#include "solve/schedules/numa_domains.hpp"

namespace plait {
namespace {

using solve::NumaDomains;

NumaDomains synthetic(const std::string& description) {
  return NumaDomains(machine::discover_synthetic(description).topology);
}

/// Two packages of four NUMA domains (as a two-socket EPYC in NPS4), with two cores each and two
/// hardware threads per core.
NumaDomains epyc() {
  return synthetic("pack:2 numa:4(memory=1073741824) core:2 pu:2");
}

/// All tasks that a thread of `domain` takes until none is left.
template <class Task>
std::vector<Task> taken_by(LocalityQueues<Task>& queues, int domain) {
  std::vector<Task> order;
  while (auto task = queues.pop(domain)) order.push_back(*task);
  return order;
}

TEST(NumaDomains, AreThoseOfTheMachine) {
  const NumaDomains domains = epyc();
  ASSERT_EQ(domains.count(), 8);
  EXPECT_EQ(domains.of_pu(0), 0);
  EXPECT_EQ(domains.of_pu(3), 0);
  EXPECT_EQ(domains.of_pu(4), 1);
  EXPECT_EQ(domains.of_pu(31), 7);
  EXPECT_EQ(domains.of_pu(1000), 0);
  EXPECT_EQ(domains.of_pu(-1), 0);
  for (std::size_t a = 0; a < 8; ++a) {
    for (std::size_t b = 0; b < 8; ++b) {
      const double distance = domains.distances()[a][b];
      EXPECT_EQ(distance, a == b ? 10 : (a / 4 == b / 4 ? 12 : 20)) << a << " " << b;
    }
  }
  EXPECT_EQ(synthetic("pack:2 [numa] core:4 pu:1").count(), 2);
  EXPECT_EQ(synthetic("core:8 1").count(), 1);
  EXPECT_EQ(NumaDomains(machine::Topology{}).count(), 1);
}

TEST(NumaDomains, AreOnlyThoseWithAllowedCores) {
  machine::Topology topology =
      machine::discover_synthetic("pack:2 numa:4(memory=1073741824) core:2 pu:2").topology;
  topology.allowed_pus = machine::CpuSet::parse("4-5,20-31");  // domains 1, 5, 6 and 7
  const NumaDomains domains(topology);
  ASSERT_EQ(domains.count(), 4);
  EXPECT_EQ(domains.of_pu(5), 0);
  EXPECT_EQ(domains.of_pu(20), 1);
  EXPECT_EQ(domains.of_pu(31), 3);
  EXPECT_EQ(domains.distances()[0][1], 20);
  EXPECT_EQ(domains.distances()[1][2], 12);
  EXPECT_EQ(domains.of_node(1), 0);
  EXPECT_EQ(domains.of_node(7), 3);
  EXPECT_EQ(domains.of_node(0), -1) << "it has no allowed core";
}

TEST(NumaDomains, OfRecordedMachines) {
  const std::string folder = std::string(PLAIT_TEST_DATA) + "/machines/";
  // One memory on a front-side bus (Henriksen's Clovertown); two packages of one domain each.
  EXPECT_EQ(NumaDomains(machine::load(folder + "clovertown.json").topology).count(), 1);
  EXPECT_EQ(NumaDomains(machine::discover_xml(folder + "uneven-l3.xml").topology).count(), 2);
  const NumaDomains here = NumaDomains::of_cpus(machine::CpuSet::affinity_of(0));
  EXPECT_GE(here.count(), 1);
  EXPECT_LT(here.of_calling_thread(), here.count());
}

TEST(LocalityQueues, OwnTasksComeFirstAndInOrder) {
  LocalityQueues<int> queues(epyc().distances());
  for (int task = 0; task < 3; ++task) {
    for (int domain = 7; domain >= 0; --domain) queues.push(domain, 10 * domain + task);
  }
  for (int domain = 0; domain < 8; ++domain) {
    for (int task = 0; task < 3; ++task) EXPECT_EQ(queues.pop(domain), 10 * domain + task);
  }
  EXPECT_EQ(queues.stolen(), 0U);
  EXPECT_EQ(queues.pop(0), std::nullopt);
}

TEST(LocalityQueues, StealsTheNewestOfTheNearestDomain) {
  LocalityQueues<std::string> queues(epyc().distances());
  for (int domain = 0; domain < 8; ++domain) {
    queues.push(domain, std::to_string(domain) + "a");
    queues.push(domain, std::to_string(domain) + "b");
  }
  // Domain 2: first its own tasks, then its package from the next domain on, then the other
  // package.
  const std::vector<std::string> order = {"2a", "2b", "3b", "3a", "0b", "0a", "1b", "1a",
                                          "4b", "4a", "5b", "5a", "6b", "6a", "7b", "7a"};
  EXPECT_EQ(taken_by(queues, 2), order);
  EXPECT_EQ(queues.stolen(), 14U);
}

TEST(LocalityQueues, StealingEndsWhenOwnTasksCome) {
  LocalityQueues<int> queues(synthetic("pack:2 [numa] core:4 pu:1").distances());
  queues.push(1, 10);
  queues.push(1, 11);
  EXPECT_EQ(queues.pop(0), 11);
  queues.push(0, 1);
  EXPECT_EQ(queues.pop(0), 1);
  EXPECT_EQ(queues.pop(0), 10);
  EXPECT_EQ(queues.stolen(), 2U);
}

TEST(LocalityQueues, DomainsAtEqualDistanceAreTriedInTurn) {
  LocalityQueues<int> queues(4);
  for (int domain = 0; domain < 4; ++domain) queues.push(domain, domain);
  EXPECT_EQ(taken_by(queues, 3), (std::vector<int>{3, 0, 1, 2}));
  EXPECT_EQ(queues.domains(), 4);
}

TEST(LocalityQueues, OneDomainIsAQueue) {
  LocalityQueues<int> queues(synthetic("core:8 1").distances());
  for (int task = 0; task < 5; ++task) queues.push(0, task);
  EXPECT_EQ(taken_by(queues, 0), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(queues.stolen(), 0U);
}

TEST(LocalityQueues, TasksMayBeMovedOnly) {
  LocalityQueues<std::unique_ptr<int>> queues(2);
  queues.push(0, std::make_unique<int>(5));
  auto task = queues.pop(1);
  ASSERT_TRUE(task.has_value());
  EXPECT_EQ(**task, 5);
}

TEST(LocalityQueues, ThreadsTakeEachTaskOnce) {
  constexpr int tasks = 4000;
  LocalityQueues<int> queues(epyc().distances());
  std::vector<std::vector<int>> taken(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      // Every thread creates a part of the tasks and takes some, from different domains.
      for (int task = t; task < tasks; task += 4) {
        queues.push(task % 8, task);
        if (task % 3 == 0) {
          if (auto got = queues.pop(2 * t)) taken[static_cast<std::size_t>(t)].push_back(*got);
        }
      }
      while (auto got = queues.pop(2 * t)) taken[static_cast<std::size_t>(t)].push_back(*got);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::multiset<int> all;
  for (const auto& of_thread : taken) all.insert(of_thread.begin(), of_thread.end());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(tasks));
  EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), static_cast<std::size_t>(tasks));
}

TEST(LocalityQueues, RefusesTablesThatAreNotSquare) {
  EXPECT_THROW(LocalityQueues<int>(0), Error);
  EXPECT_THROW(LocalityQueues<int>(-1), Error);
  EXPECT_THROW(LocalityQueues<int>(std::vector<std::vector<double>>{{0, 1}, {1}}), Error);
}

}  // namespace
}  // namespace plait
