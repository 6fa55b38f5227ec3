// SPDX-License-Identifier: BSD-3-Clause
// Tests of collectives: matching messages, data dependencies, costs as in the papers.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "made_program.hpp"
#include "replay/collective_rounds.hpp"
#include "replay/replay.hpp"

namespace plait::replay {
namespace {

constexpr Pattern kAll[] = {Pattern::barrier,   Pattern::broadcast, Pattern::reduce,
                            Pattern::allreduce, Pattern::gather,    Pattern::scatter,
                            Pattern::allgather, Pattern::alltoall,  Pattern::reduce_scatter,
                            Pattern::scan};
constexpr std::uint64_t kSizes[] = {8, 100'000, 10'000'000};

std::vector<std::uint32_t> first(std::uint32_t n) {
  std::vector<std::uint32_t> members(n);
  std::iota(members.begin(), members.end(), 0U);
  return members;
}

bool needs_all(Pattern pattern) {
  return pattern == Pattern::barrier || pattern == Pattern::allreduce ||
         pattern == Pattern::allgather || pattern == Pattern::alltoall ||
         pattern == Pattern::reduce_scatter;
}

bool from_root(Pattern pattern) {
  return pattern == Pattern::broadcast || pattern == Pattern::scatter;
}

TEST(CollectiveRounds, every_message_is_sent_and_received_once) {
  for (const Pattern pattern : kAll) {
    for (std::uint32_t n = 1; n <= 17; ++n) {
      for (const std::uint64_t bytes : kSizes) {
        std::multiset<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> sent, received;
        for (std::uint32_t index = 0; index < n; ++index) {
          Round round;
          const Member member{pattern, n, index, n / 2, bytes};
          for (std::uint32_t number = 0; round_of(member, number, round); ++number) {
            if (round.send_to != trace::kNone) sent.insert({index, round.send_to, round.tag});
            if (round.receive_from != trace::kNone) {
              received.insert({round.receive_from, index, round.tag});
            }
          }
        }
        EXPECT_EQ(sent, received) << "pattern " << int(pattern) << " of " << n;
      }
    }
  }
}

/// When each rank is done if rank `late` arrives a second after the others.
std::vector<RankTimes> with_late(Pattern pattern, std::uint32_t n, std::uint64_t bytes,
                                 std::uint32_t root, std::uint32_t late, Collectives how) {
  MadeProgram program(n);
  const std::uint32_t number = program.collective(pattern, first(n), bytes, root);
  for (std::uint32_t rank = 0; rank < n; ++rank) {
    if (rank == late) program.compute(rank, 1);
    program.join(rank, number);
  }
  Network network = ideal_network();
  network.collectives = how;
  const ReplayResult result = replay(program, network);
  EXPECT_TRUE(result.stuck.empty()) << "pattern " << int(pattern) << " of " << n;
  return result.ranks;
}

TEST(Collectives, data_reach_all_receivers_by_dependencies_and_by_algorithms) {
  for (const Pattern pattern : kAll) {
    for (const std::uint32_t n : {2U, 3U, 5U, 8U, 13U}) {
      for (const std::uint64_t bytes : kSizes) {
        for (std::uint32_t late = 0; late < n; ++late) {
          const std::uint32_t root = n / 3;
          const auto by_need = with_late(pattern, n, bytes, root, late, Collectives::dependencies);
          const auto by_messages =
              with_late(pattern, n, bytes, root, late, Collectives::algorithms);
          for (std::uint32_t rank = 0; rank < n; ++rank) {
            const bool waits = rank == late || needs_all(pattern) ||
                               (from_root(pattern) && late == root) ||
                               (pattern == Pattern::scan && rank > late) ||
                               (!from_root(pattern) && !needs_all(pattern) &&
                                pattern != Pattern::scan && rank == root);
            EXPECT_EQ(by_need[rank].end, waits ? 1 : 0)
                << "pattern " << int(pattern) << ", rank " << rank << " of " << n;
            // A tree also makes others wait, but nobody leaves without its data.
            EXPECT_GE(by_messages[rank].end, by_need[rank].end)
                << "pattern " << int(pattern) << ", rank " << rank << " of " << n;
          }
        }
      }
    }
  }
}

double cost(Pattern pattern, std::uint32_t n, std::uint64_t bytes) {
  MadeProgram program(n, 1);
  const std::uint32_t number = program.collective(pattern, first(n), bytes);
  for (std::uint32_t rank = 0; rank < n; ++rank) program.join(rank, number);
  Network network;
  network.between_nodes.latency_s = 1e-6;
  network.between_nodes.seconds_per_byte = 1e-9;
  return replay(program, network).time_s;
}

TEST(Collectives, cost_what_their_algorithms_cost) {
  const double latency = 1e-6, per_byte = 1e-9;
  const std::uint64_t bytes = 1'048'576;
  const double n = static_cast<double>(bytes) * per_byte;
  // Thakur et al. 2005, sections 4.1 to 4.5, without the terms of computation.
  EXPECT_NEAR(cost(Pattern::barrier, 16, 0), 4 * latency, 1e-12);
  EXPECT_NEAR(cost(Pattern::broadcast, 16, 8), 4 * (latency + 8 * per_byte), 1e-12);
  EXPECT_NEAR(cost(Pattern::allreduce, 16, 8), 4 * (latency + 8 * per_byte), 1e-12);
  EXPECT_NEAR(cost(Pattern::allreduce, 16, bytes), 2 * 4 * latency + 2 * 15.0 / 16 * n, 1e-9);
  EXPECT_NEAR(cost(Pattern::allgather, 16, bytes), 15 * (latency + n), 1e-9);
  EXPECT_NEAR(cost(Pattern::alltoall, 16, bytes), 15 * (latency + n / 16), 1e-9);
  EXPECT_NEAR(cost(Pattern::reduce, 16, bytes), 2 * 4 * latency + 2 * 15.0 / 16 * n, 1e-9);
  // In the paper the ring begins when the scatter has ended everywhere; here it begins earlier and
  // its messages queue behind the scatter's.
  EXPECT_NEAR(cost(Pattern::broadcast, 16, bytes), (4 + 15) * latency + 2 * 15.0 / 16 * n,
              0.1 * n * 2);
}

TEST(Collectives, by_curve_take_the_time_of_the_curve_after_the_last_arrival) {
  MadeProgram program(3, 1);
  const std::uint32_t number = program.collective(Pattern::allreduce, first(3), 500);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    program.compute(rank, rank);
    program.join(rank, number);
  }
  Network network;
  network.collectives = Collectives::curve;
  network.collective_curve = {{0, 0.1}, {1000, 0.3}};
  for (const RankTimes& rank : replay(program, network).ranks) EXPECT_DOUBLE_EQ(rank.end, 2.2);
}

TEST(Collectives, nonblocking_ones_overlap_computation_only_with_progress) {
  const auto run = [](Progress progress) {
    MadeProgram program(4, 1);
    const std::uint32_t number = program.collective(Pattern::barrier, first(4), 0);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      program.begin(rank, number, 0);
      program.compute(rank, 1);
      program.wait(rank, 0);
    }
    Network network;
    network.between_nodes.latency_s = 0.1;
    network.progress = progress;
    return replay(program, network).time_s;
  };
  EXPECT_DOUBLE_EQ(run(Progress::hardware), 1);
  // The first of two rounds is in progress when the call returns; the second begins in the wait.
  EXPECT_DOUBLE_EQ(run(Progress::in_call), 1.1);
}

TEST(Collectives, work_on_a_subset_of_ranks) {
  MadeProgram program(5);
  const std::uint32_t some = program.collective(Pattern::barrier, {4, 1, 3}, 0);
  for (const std::uint32_t rank : {1U, 3U, 4U}) {
    program.compute(rank, rank);
    program.join(rank, some);
  }
  Network network = ideal_network();
  network.collectives = Collectives::algorithms;
  const ReplayResult result = replay(program, network);
  EXPECT_DOUBLE_EQ(result.ranks[1].end, 4);
  EXPECT_DOUBLE_EQ(result.ranks[0].end, 0);
}

}  // namespace
}  // namespace plait::replay
