// SPDX-License-Identifier: BSD-3-Clause
// When packets leave the switch, and through which ports.
#include "cluster/switch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace plait::cluster {
namespace {

constexpr std::int64_t kLatency = 25'000;
constexpr unsigned char kAll = 0xff;  ///< each byte of the broadcast address

/// An Ethernet packet without offload; an address is the same byte six times.
Packet packet(unsigned char to, unsigned char from, std::size_t bytes = 1500) {
  Packet made(sizeof(Offload) + bytes, 0);
  std::fill_n(made.begin() + sizeof(Offload), 6, to);
  std::fill_n(made.begin() + sizeof(Offload) + 6, 6, from);
  return made;
}

/// The ports through which packets have left at `now`, in order.
std::vector<std::size_t> ports_of_all(PacketQueues& queues, std::int64_t now) {
  std::vector<std::size_t> ports;
  while (const auto departure = queues.leaving(now)) ports.push_back(departure->port);
  return ports;
}

TEST(PacketQueues, UnknownAddressesAreSoughtAtAllOtherPorts) {
  PacketQueues queues(4, kLatency);
  queues.take(1, packet(kAll, 1), 0);
  EXPECT_EQ(ports_of_all(queues, kLatency), (std::vector<std::size_t>{0, 2, 3}));
}

TEST(PacketQueues, AnAddressIsLearnedFromItsSender) {
  PacketQueues queues(4, kLatency);
  queues.take(2, packet(kAll, 7), 0);
  ports_of_all(queues, kLatency);
  queues.take(0, packet(7, 3), kLatency);
  EXPECT_EQ(ports_of_all(queues, 2 * kLatency), std::vector<std::size_t>{2});
  queues.take(2, packet(7, 3), 2 * kLatency);
  EXPECT_FALSE(queues.next()) << "a packet went back to where it came from";
}

TEST(PacketQueues, EachPacketWaitsForTheLatency) {
  PacketQueues queues(2, kLatency);
  EXPECT_FALSE(queues.next());
  queues.take(0, packet(kAll, 1), 1000);
  EXPECT_EQ(queues.next(), 1000 + kLatency);
  EXPECT_FALSE(queues.leaving(999 + kLatency));
  const auto departure = queues.leaving(1000 + kLatency);
  ASSERT_TRUE(departure);
  EXPECT_EQ(departure->packet, packet(kAll, 1));
  EXPECT_FALSE(queues.next());
}

TEST(PacketQueues, TwoSendersShareTheLinkOfOneReceiver) {
  PacketQueues queues(4, kLatency);
  queues.set_rate(125e6);
  queues.take(2, packet(kAll, 9), 0);
  ports_of_all(queues, kLatency);
  queues.take(0, packet(9, 1), 0);
  queues.take(1, packet(9, 2), 0);
  // The broadcast's sender's own link is free; 1500 bytes take 12 us.
  EXPECT_EQ(ports_of_all(queues, kLatency), std::vector<std::size_t>{2});
  EXPECT_EQ(queues.next(), kLatency + 12'000);
}

TEST(PacketQueues, EachSegmentOfABundleHasHeaders) {
  PacketQueues queues(4, kLatency);
  queues.set_rate(125e6);
  queues.take(2, packet(kAll, 9), 0);
  ports_of_all(queues, kLatency);
  Offload offload;
  offload.bundle = 1;
  offload.header_bytes = 54;
  offload.segment_bytes = 1446;
  Packet bundle = packet(9, 1, 54 + 3 * 1446);
  std::memcpy(bundle.data(), &offload, sizeof(Offload));
  queues.take(0, bundle, 0);
  queues.take(1, packet(9, 2), 0);
  EXPECT_EQ(ports_of_all(queues, kLatency), std::vector<std::size_t>{2});
  // Three packets of 1500 bytes, 12 us each.
  EXPECT_EQ(queues.next(), kLatency + 36'000);
}

TEST(PacketQueues, TheHeadsLinkHasNoRate) {
  PacketQueues queues(3, kLatency);
  queues.set_rate(125e6);
  queues.take(2, packet(kAll, 9), 0);
  ports_of_all(queues, kLatency);
  for (const std::size_t sender : {0, 1}) queues.take(sender, packet(9, 1), 0);
  EXPECT_EQ(ports_of_all(queues, kLatency), (std::vector<std::size_t>{2, 2}));
}

TEST(PacketQueues, WhatDoesNotFitIntoTheQueueIsDropped) {
  PacketQueues queues(2, kLatency);
  constexpr std::size_t kBytes = (1 << 20) - sizeof(Offload), kFit = 16;
  for (std::size_t i = 0; i < kFit + 3; ++i) queues.take(0, packet(kAll, 1, kBytes), 0);
  EXPECT_EQ(ports_of_all(queues, kLatency).size(), kFit);
  queues.take(0, packet(kAll, 1), kLatency);
  EXPECT_EQ(queues.next(), 2 * kLatency) << "there is room again";
}

TEST(PacketQueues, WhatIsNoPacketIsDropped) {
  PacketQueues queues(2, kLatency);
  queues.take(0, Packet(sizeof(Offload) + 13, 0), 0);
  EXPECT_FALSE(queues.next());
}

}  // namespace
}  // namespace plait::cluster
