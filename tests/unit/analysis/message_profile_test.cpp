// SPDX-License-Identifier: BSD-3-Clause
// Tests of message statistics by size and pair, and of slow transfers.
#include "analysis/message_profile.hpp"

#include <gtest/gtest.h>

#include "programs.hpp"

namespace plait::analysis {
namespace {

using trace::MadeTrace;

/// A node with 1 us and 10 GB/s between its cores.
machine::Measured measured_node() {
  machine::Measured measured;
  machine::Path path;
  path.id = "socket";
  path.name = "same socket";
  path.pairs = {{0, 1}};
  path.pairs_total = 1;
  for (std::uint64_t bytes = 0; bytes <= (1U << 22); bytes = bytes == 0 ? 1 : bytes * 2) {
    machine::CurvePoint point;
    point.bytes = bytes;
    point.half_round_trip_us.median = 1 + static_cast<double>(bytes) * 1e-4;
    point.half_round_trip_us.ci_low = point.half_round_trip_us.ci_high =
        point.half_round_trip_us.min = point.half_round_trip_us.median;
    point.half_round_trip_us.n = 10;
    point.bandwidth_gbs = static_cast<double>(bytes) * 1e-3 / point.half_round_trip_us.median;
    path.mpi_pingpong.push_back(point);
  }
  measured.paths.push_back(path);
  return measured;
}

MessageProfile profile_of(const trace::Trace& trace, const machine::Measured* measured) {
  const Lanes lanes = make_lanes(trace);
  return profile_messages(trace, find_waits(trace, lanes), measured);
}

/// `count` messages of 1 MiB from rank 0 to 1, each with a transfer time of `seconds`.
void messages(MadeTrace& made, int count, double seconds) {
  for (int i = 0; i < count; ++i) {
    const double begin = std::max(made.now(0), made.now(1));
    made.compute(0, begin - made.now(0));
    made.compute(1, begin - made.now(1));
    made.send(0, 1, 1 << 20, seconds);
    made.receive(1, 0, 1 << 20, seconds);
  }
}

TEST(MessageProfile, CountsSizesAndPairs) {
  MadeTrace made(3);
  messages(made, 20, 0.001);
  made.send(2, 0, 100, 1e-6);
  made.receive(0, 2, 100, 1e-6);
  const trace::Trace trace = made.take();
  const MessageProfile profile = profile_of(trace, nullptr);
  EXPECT_EQ(profile.messages, 21U);
  EXPECT_EQ(profile.bytes, 20U * (1U << 20) + 100);
  ASSERT_EQ(profile.pairs.size(), 2U);
  EXPECT_EQ(profile.pairs[0].from, 0);
  EXPECT_EQ(profile.pairs[0].to, 1);
  EXPECT_EQ(profile.pairs[0].count, 20U);
  EXPECT_NEAR(profile.pairs[0].seconds, 0.02, 1e-9);
  ASSERT_EQ(profile.classes.size(), 2U);
  EXPECT_EQ(profile.classes[1].count, 20U);
  EXPECT_NEAR(profile.classes[1].rate, (1 << 20) / 0.001, 1e3);
  EXPECT_EQ(profile.classes[1].path_rate, 0);
  EXPECT_TRUE(profile.slow.empty());
}

TEST(MessageProfile, ReportsTransfersFarBelowTheMeasuredSpeed) {
  const machine::Measured measured = measured_node();
  MadeTrace made(2);
  made.from("slow");
  messages(made, 20, 0.001);  // 1 GB/s of 10
  const trace::Trace trace = made.take();
  const MessageProfile profile = profile_of(trace, &measured);
  ASSERT_EQ(profile.slow.size(), 1U);
  EXPECT_EQ(profile.slow[0].count, 20U);
  EXPECT_EQ(profile.slow[0].bytes, 1U << 20);
  EXPECT_NEAR(profile.slow[0].rate, 1.05e9, 0.01e9);
  EXPECT_NEAR(profile.slow[0].path_rate, 9.9e9, 0.2e9);
  EXPECT_EQ(test::site_name(trace, profile.slow[0].site), "slow");
}

TEST(MessageProfile, DoesNotReportFewOrFastOnes) {
  const machine::Measured measured = measured_node();
  MadeTrace few(2);
  messages(few, 5, 0.001);
  EXPECT_TRUE(profile_of(few.take(), &measured).slow.empty());
  MadeTrace fast(2);
  messages(fast, 20, 0.00015);
  EXPECT_TRUE(profile_of(fast.take(), &measured).slow.empty());
}

TEST(MessageProfile, ComputationDuringAMessageIsNotASlowPath) {
  const machine::Measured measured = measured_node();
  MadeTrace made(2);
  for (int i = 0; i < 20; ++i) {
    const auto request = made.ireceive(1, 0, 1 << 20, 1e-6);
    const auto sent = made.isend(0, 1, 1 << 20, 1e-6);
    for (const int rank : {0, 1}) made.compute(rank, 0.01);
    made.wait(1, {request}, 1e-5);
    made.wait(0, {sent}, 1e-5);
  }
  EXPECT_TRUE(profile_of(made.take(), &measured).slow.empty());
}

}  // namespace
}  // namespace plait::analysis
