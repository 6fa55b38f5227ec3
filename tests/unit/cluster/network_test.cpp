// SPDX-License-Identifier: BSD-3-Clause
// The token buckets of links are no larger than late timers require at a high rate.
#include "cluster/network.hpp"

#include <gtest/gtest.h>

namespace plait::cluster {
namespace {

constexpr double kGbit = 125e6;

TEST(Bucket, HoldsFiveKibUpToHalfAGigabit) {
  EXPECT_EQ(bucket_bytes(node_end(0.1 * kGbit, 0), 0.1 * kGbit), 5 * 1024);
  EXPECT_EQ(bucket_bytes(node_end(0.5 * kGbit, 0), 0.5 * kGbit), 5 * 1024);
}

TEST(Bucket, LetsNoMessageOf64KibGoATenthTooFast) {
  // Each 1448 bytes of a message take 1514 bytes on the link; the path takes at least 20 us.
  const double message = 65536, on_link = message * 1514 / 1448;
  for (const double rate : {0.1 * kGbit, 0.2 * kGbit, 0.4 * kGbit, kGbit}) {
    const double held_back = on_link - bucket_bytes(node_end(rate, 0), rate);
    EXPECT_LT(message / (held_back + 20e-6 * rate), 1.10);
  }
}

TEST(Bucket, OfTheBridgeHoldsBackNoSingleSender) {
  for (const double rate : {0.1 * kGbit, kGbit}) {
    for (const double burst : {0.0, 1e6}) {
      EXPECT_GE(bucket_bytes(bridge_end(0, rate, burst), rate),
                bucket_bytes(node_end(rate, burst), rate));
    }
  }
}

TEST(Bucket, HoldsABurstIfThatIsMore) {
  EXPECT_EQ(bucket_bytes(node_end(kGbit, 50e3), kGbit), 50'000);
  EXPECT_EQ(bucket_bytes(node_end(kGbit, 6e3), kGbit), 10'000);
  EXPECT_GE(node_end(0.001 * kGbit, 1e6).queue_bytes, 2'000'000);
}

TEST(Packets, FillPartOfTheBucketAndAreNotLongerThanIpPermits) {
  const auto bytes = [](double burst) {
    return packet_arguments(node_end(kGbit, burst), kGbit).back();
  };
  EXPECT_EQ(bytes(0), "6000");
  EXPECT_EQ(bytes(50e3), "30000");
  EXPECT_EQ(bytes(4e6), "65535");
}

TEST(Rate, IsSetInBitsPerSecond) {
  const std::vector<std::string> arguments = rate_arguments(node_end(kGbit, 0), kGbit);
  const std::vector<std::string> expected{"qdisc", "replace", "dev",   "eth0",
                                          "root",  "tbf",     "rate",  "1000000000bit",
                                          "burst", "10000b",  "limit", "6250000b"};
  EXPECT_EQ(arguments, expected);
}

TEST(Address, IsOfItsNode) {
  EXPECT_EQ(node_address(0), "10.77.0.1");
  EXPECT_EQ(node_address(249), "10.77.0.250");
}

}  // namespace
}  // namespace plait::cluster
