// SPDX-License-Identifier: BSD-3-Clause
// Measures the bounds of message passing between pairs of cores: a cache line, and one memcpy.
#include "measure/bare_pairs.hpp"

#include <algorithm>
#include <cstring>

#include "measure/sizes.hpp"
#include "measure/summarize.hpp"

namespace plait::measure {
namespace {

std::vector<int> threads_of(const std::vector<PuPair>& pairs) {
  std::vector<int> pus;
  for (const PuPair& pair : pairs) pus.insert(pus.end(), pair.begin(), pair.end());
  return pus;
}

/// Increments the counter whenever its parity shows that it is this side's turn.
void bounce(std::atomic<std::uint64_t>& counter, std::uint64_t from, std::uint64_t side,
            int round_trips) {
  std::uint64_t turn = from + side;
  for (int r = 0; r < round_trips; ++r, turn += 2) {
    spin_until<true>([&] { return counter.load(std::memory_order_acquire) == turn; });
    counter.store(turn + 1, std::memory_order_release);
  }
  // The leader's time ends with the last answer.
  if (side == 0) {
    spin_until<true>([&] { return counter.load(std::memory_order_acquire) == turn; });
  }
}

/// Repetitions per sample, estimated in a warm-up that is not recorded.
int warm_up(BarePairs& pairs, const BareCell& cell) {
  pairs.run(cell, 1);
  const std::vector<double> seconds = pairs.run(cell, kWarmUp);
  return repetitions_for(2 * *std::max_element(seconds.begin(), seconds.end()), kSampleSeconds);
}

}  // namespace

BarePairs::BarePairs(const std::vector<PuPair>& pairs) : team_(threads_of(pairs)) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs_.push_back(std::make_unique<Pair>());
    Pair& pair = *pairs_.back();
    for (int side = 0; side < 2; ++side) {
      pair.channels.emplace_back(pair.link, side);
      buffers_.emplace_back(kLargestMessage);
      std::byte* const send = buffers_.back().bytes();
      buffers_.emplace_back(kLargestMessage);
      pair.sides.push_back({send, buffers_.back().bytes(), kLargestMessage});
    }
  }
  team_.run([this](int thread) {
    Side& side =
        pairs_[static_cast<std::size_t>(thread / 2)]->sides[static_cast<std::size_t>(thread % 2)];
    std::memset(side.send, 1, side.region_bytes);
    std::memset(side.receive, 2, side.region_bytes);
  });
}

std::vector<double> BarePairs::run(const BareCell& cell, int repetitions) {
  std::vector<double> seconds(pairs_.size());
  team_.run([&](int thread) {
    Pair& pair = *pairs_[static_cast<std::size_t>(thread / 2)];
    const bool leads = thread % 2 == 0;
    const auto index = static_cast<std::size_t>(thread % 2);
    BareChannel& channel = pair.channels[index];
    Side& side = pair.sides[index];
    // Read before the barrier, so that the other side cannot have incremented it yet.
    const std::uint64_t from = pair.bounced.load(std::memory_order_relaxed);
    team_.barrier().wait();
    double total = 0;
    if (cell.kind == BareKind::pingping) {
      total = pingping(channel, side, leads, cell.bytes, repetitions);
    } else if (cell.kind == BareKind::line) {
      const std::int64_t begin = now_ns();
      bounce(pair.bounced, from, index, repetitions);
      total = static_cast<double>(now_ns() - begin) * 1e-9 / 2;
    } else if (leads) {
      total = pingpong_leader(channel, side, cell.bytes, repetitions) / 2;
    } else {
      pingpong_follower(channel, side, cell.bytes, repetitions);
    }
    if (leads) seconds[static_cast<std::size_t>(thread / 2)] = total / repetitions;
  });
  return seconds;
}

RoundsResult measure_bare_pair(const PuPair& pair, const std::vector<BareCell>& cells,
                               const RoundsPlan& plan, std::mt19937& random,
                               Disturbance& disturbance) {
  BarePairs pairs({pair});
  std::vector<int> repetitions;
  for (const BareCell& cell : cells) repetitions.push_back(warm_up(pairs, cell));
  RoundsResult result = sample_in_rounds(cells.size(), plan, random, [&](std::size_t i) {
    const double us = pairs.run(cells[i], repetitions[i]).front() * 1e6;
    return Sample(us, pairs.waited());
  });
  disturbance += pairs.disturbance();
  return result;
}

RoundsResult measure_bare_together(const std::vector<PuPair>& pu_pairs,
                                   const std::vector<std::uint64_t>& sizes, const RoundsPlan& plan,
                                   std::mt19937& random, Disturbance& disturbance) {
  BarePairs pairs(pu_pairs);
  std::vector<int> repetitions;
  for (const std::uint64_t bytes : sizes) {
    repetitions.push_back(warm_up(pairs, {BareKind::pingpong, bytes}));
  }
  RoundsResult result = sample_in_rounds(sizes.size(), plan, random, [&](std::size_t i) {
    // All pairs move the same amount; the slowest pair determines the time.
    const std::vector<double> seconds = pairs.run({BareKind::pingpong, sizes[i]}, repetitions[i]);
    const double bytes = static_cast<double>(sizes[i] * seconds.size());
    const double us = *std::max_element(seconds.begin(), seconds.end()) * 1e6;
    return Sample(bandwidth_gbs(bytes, us), pairs.waited());
  });
  disturbance += pairs.disturbance();
  return result;
}

}  // namespace plait::measure
