// SPDX-License-Identifier: BSD-3-Clause
// Transfers between threads carry the right data in the right order; their figures have the right
// shape.
#include "measure/bare_pairs.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "machine/cpuset.hpp"

namespace plait::measure {
namespace {

PuPair some_pair() {
  const machine::CpuSet allowed = machine::CpuSet::affinity_of(0);
  return {allowed.first(), allowed.last()};
}

TEST(BareChannel, delivers_each_message_as_it_was_when_sent) {
  BareLink link;
  constexpr std::size_t kBytes = 5000;
  constexpr int kMessages = 200;
  int wrong = 0;
  std::thread partner([&] {
    BareChannel channel(link, 1);
    std::vector<std::byte> received(kBytes);
    for (int m = 0; m < kMessages; ++m) {
      channel.receive(received.data(), kBytes);
      for (const std::byte b : received) wrong += b == static_cast<std::byte>(m) ? 0 : 1;
      channel.signal();
    }
  });
  BareChannel channel(link, 0);
  std::vector<std::byte> message(kBytes);
  for (int m = 0; m < kMessages; ++m) {
    std::fill(message.begin(), message.end(), static_cast<std::byte>(m));
    channel.send(message.data(), kBytes);
    channel.await_signal();
  }
  partner.join();
  EXPECT_EQ(wrong, 0);
}

TEST(PingPing, both_sides_return_the_mean_of_their_times) {
  for (const std::size_t bytes : {std::size_t{0}, 4 * kTimedAsWholeUpTo}) {
    BareLink link;
    const auto seconds_of = [&](int index) {
      std::vector<std::byte> send(bytes + 1), receive(bytes + 1);
      Side side{send.data(), receive.data(), bytes};
      BareChannel channel(link, index);
      return pingping(channel, side, index == 0, bytes, 5);
    };
    double other = 0;
    std::thread partner([&] { other = seconds_of(1); });
    const double own = seconds_of(0);
    partner.join();
    EXPECT_GT(own, 0);
    EXPECT_EQ(own, other) << bytes << " bytes";
  }
}

TEST(BareChannel, both_may_exchange_at_once_and_reuse_their_buffers) {
  BareLink link;
  constexpr std::size_t kBytes = 3000;
  const auto side = [&](int index, int& wrong) {
    BareChannel channel(link, index);
    std::vector<std::byte> out(kBytes);
    std::vector<std::byte> in(kBytes);
    for (int m = 0; m < 200; ++m) {
      std::fill(out.begin(), out.end(), static_cast<std::byte>(2 * m + index));
      channel.exchange(out.data(), in.data(), kBytes);
      for (const std::byte b : in) wrong += b == static_cast<std::byte>(2 * m + 1 - index) ? 0 : 1;
    }
  };
  int wrong[2] = {0, 0};
  std::thread partner([&] { side(1, wrong[1]); });
  side(0, wrong[0]);
  partner.join();
  EXPECT_EQ(wrong[0] + wrong[1], 0);
}

TEST(BarePairs, every_kind_and_size_can_be_timed_in_any_order) {
  BarePairs pairs({some_pair()});
  for (int again = 0; again < 2; ++again) {
    for (const BareCell& cell :
         {BareCell{BareKind::line, 0}, BareCell{BareKind::pingpong, 0},
          BareCell{BareKind::pingping, 64}, BareCell{BareKind::pingpong, 1024},
          BareCell{BareKind::pingpong, 1025}, BareCell{BareKind::pingping, 70000},
          BareCell{BareKind::pingpong, 4194304}}) {
      const std::vector<double> seconds = pairs.run(cell, 3);
      ASSERT_EQ(seconds.size(), 1U);
      EXPECT_GT(seconds[0], 0.0);
    }
  }
}

TEST(BarePairs, samples_come_back_for_every_cell) {
  std::mt19937 random(1);
  Disturbance disturbance;
  const RoundsResult one =
      measure_bare_pair(some_pair(), {{BareKind::line, 0}, {BareKind::pingpong, 4096}},
                        {0.0, 0.1, 3}, random, disturbance);
  ASSERT_EQ(one.samples.size(), 2U);
  EXPECT_EQ(one.samples[0].size(), 1U);
  const RoundsResult together = measure_bare_together({some_pair(), some_pair()}, {8, 8192},
                                                      {0.0, 0.1, 3}, random, disturbance);
  ASSERT_EQ(together.samples.size(), 2U);
  EXPECT_GT(together.samples[1][0], 0.0);
  EXPECT_GT(disturbance.thread_s, 0.0);
}

TEST(Side, off_cache_places_move_through_the_region_and_stay_inside) {
  std::vector<std::byte> send(100000);
  std::vector<std::byte> receive(100000);
  Side side{send.data(), receive.data(), 100000, true, 0};
  std::size_t before = side.at;
  for (int r = 0; r < 100; ++r) {
    side.next(3000, r);
    EXPECT_NE(side.at, before);
    EXPECT_LE(side.at + 3000, side.region_bytes);
    EXPECT_EQ(side.to_send() - send.data(), side.to_receive() - receive.data());
    before = side.at;
  }
  EXPECT_EQ(send[side.at], std::byte{0}) << "nothing is written: the data stay out of the cache";
}

}  // namespace
}  // namespace plait::measure
