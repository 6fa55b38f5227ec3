// SPDX-License-Identifier: BSD-3-Clause
// A cluster is described by its links, its nodes and what is special about it.
#include "cluster/show.hpp"

#include <gtest/gtest.h>

#include "cluster/cluster.hpp"

namespace plait::cluster {
namespace {

Cluster two_nodes() {
  Cluster cluster;
  cluster.request.name = "test";
  cluster.request.bytes_per_second = 125e6;
  cluster.nodes = {{"n0", "10.77.0.1", 11, {0, 1}, 2}, {"n1", "10.77.0.2", 12, {2, 3}, 2}};
  return cluster;
}

TEST(Show, NamesLinksAndTheThreadsOfEachNode) {
  const std::string text = show(two_nodes());
  EXPECT_EQ(text.rfind("Cluster test: 2 nodes of 2 cores each, 1 Gbit/s.\n", 0), 0U) << text;
  for (const char* part : {"n0", "10.77.0.1", "0-1", "n1", "10.77.0.2", "2-3"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is missing in\n" << text;
  }
  EXPECT_EQ(text.find("share cores"), std::string::npos) << text;
  EXPECT_EQ(text.find("root"), std::string::npos) << text;
}

TEST(Show, SaysWhatIsNotAsOnRealNodes) {
  Cluster cluster = two_nodes();
  cluster.request.latency_s = 50e-6;
  cluster.request.burst_bytes = 64 << 10;
  cluster.nodes[1].pus = {1, 2};
  cluster.user_namespace = true;
  const std::string text = show(cluster);
  EXPECT_NE(text.find("50 us added latency, bursts of 64 KiB"), std::string::npos) << text;
  EXPECT_NE(text.find("Nodes share cores because there are too few"), std::string::npos) << text;
  EXPECT_NE(text.find("you are root, but only over the cluster"), std::string::npos) << text;
}

}  // namespace
}  // namespace plait::cluster
